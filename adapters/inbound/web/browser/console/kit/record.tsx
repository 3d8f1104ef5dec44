/** The layout of pages about one record, or one subject: heading, actions, tabs, sections, facts. */
import { useContext, useLayoutEffect, useRef, type ReactNode } from 'react'
import { useSearch } from 'wouter'
import { useTexts } from '../text.tsx'
import { Breakable } from './breakable.tsx'
import { commonTexts } from './common-texts.ts'
import styles from './kit.module.css'
import { PageLink } from './link.tsx'
import { PageName } from './page-name.ts'
import { Problem } from './problem.tsx'

export const PageHead = ({
  title,
  mark,
  badge,
  lead,
  actions,
}: {
  readonly title: string
  /** A decorative image before the title */
  readonly mark?: ReactNode
  readonly badge?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
}) => (
  <div className={styles['head']}>
    <title>{title}</title>
    <div>
      <h1 tabIndex={-1}>
        {mark}
        <Breakable>{title}</Breakable> {badge}
      </h1>
      {lead !== undefined && <p className={styles['lead']}>{lead}</p>}
    </div>
    {actions !== undefined && <div className="actions">{actions}</div>}
  </div>
)

export interface Tab {
  /** In the address, as `?tab=`; the first tab is shown without */
  readonly name: string
  readonly label: string
  readonly body: () => ReactNode
}

/** Tabs are links, so each has an address. */
export const Tabs = ({
  label,
  path,
  tabs,
}: {
  readonly label: string
  readonly path: string
  readonly tabs: readonly Tab[]
}) => {
  const asked = new URLSearchParams(useSearch()).get('tab')
  const current = tabs.find(({ name }) => name === asked) ?? tabs[0]
  const bar = useRef<HTMLElement>(null)
  // Where the tabs scroll sideways, the current one is in sight.
  useLayoutEffect(() => {
    const link = bar.current?.querySelector('[aria-current]')
    if (bar.current === null || link === undefined || link === null) return
    const outer = bar.current.getBoundingClientRect()
    const inner = link.getBoundingClientRect()
    if (inner.left < outer.left || inner.right > outer.right)
      bar.current.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  }, [current?.name])
  return (
    <>
      <nav ref={bar} className={styles['tabs']} aria-label={label}>
        <ul>
          {tabs.map(({ name, label: tabLabel }, index) => (
            <li key={name}>
              <PageLink to={index === 0 ? path : `${path}?tab=${name}`} current={name === current?.name}>
                {tabLabel}
              </PageLink>
            </li>
          ))}
        </ul>
      </nav>
      {current?.body()}
    </>
  )
}

export const Section = ({
  title,
  hint,
  actions,
  children,
}: {
  readonly title: string
  readonly hint?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => (
  <section className={styles['section']}>
    <div className={styles['sectionHead']}>
      <div>
        <h2>{title}</h2>
        {hint !== undefined && <p className="hint">{hint}</p>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </div>
    {children}
  </section>
)

/** Names and values; those without a value are left out. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={styles['facts']}>
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

interface LoadedProps<T> {
  readonly query: {
    readonly data: T | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  readonly children: (data: T) => ReactNode
}

/** What a query has so far: loading, the problem, or what it read. */
export const Loaded = <T,>({ query, children }: LoadedProps<T>) => {
  const text = useTexts(commonTexts)
  const { data, error, refetch } = query
  return (
    <>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined
        ? children(data)
        : error === null && (
            <p className={styles['loading']} data-loading>
              {text.loading}
            </p>
          )}
    </>
  )
}

/** A page about the record of a query; without the record, its heading is the name of the page. */
export const LoadedPage = <T,>(props: LoadedProps<T>) => {
  const name = useContext(PageName)
  const { data, error } = props.query
  return (
    <>
      {data === undefined && error !== null && <PageHead title={name} />}
      <Loaded {...props} />
    </>
  )
}
