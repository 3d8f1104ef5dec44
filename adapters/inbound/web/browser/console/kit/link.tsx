import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { usePathAt } from '../moment.tsx'

/** A link inside the console; it keeps the moment that is shown. */
export const PageLink = ({
  to,
  current = false,
  className,
  children,
}: {
  readonly to: string
  readonly current?: boolean
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const pathAt = usePathAt()
  return (
    <Link href={pathAt(to)} className={className} aria-current={current ? 'page' : undefined}>
      {children}
    </Link>
  )
}
