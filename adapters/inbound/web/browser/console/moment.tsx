/** The time that the console shows: now, or a past moment from the address (`?at=`), where everything is read-only. */
import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { useSearchParams } from 'wouter'

interface Moment {
  /** RFC 3339; null for now */
  readonly at: string | null
  readonly set: (at: string | null) => void
}

const Context = createContext<Moment>({ at: null, set: () => undefined })

export const MomentProvider = ({ children }: { readonly children: ReactNode }) => {
  const [search, setSearch] = useSearchParams()
  const requested = search.get('at')
  const at = requested !== null && !Number.isNaN(Date.parse(requested)) ? requested : null
  const moment = useMemo<Moment>(
    () => ({
      at,
      set: (next) => {
        setSearch((before) => {
          const after = new URLSearchParams(before)
          after.delete('cursor')
          if (next === null) after.delete('at')
          else after.set('at', next)
          return after
        })
      },
    }),
    [at, setSearch],
  )
  return <Context value={moment}>{children}</Context>
}

export const useMoment = (): Moment => useContext(Context)

/** Adds the shown moment to the address of another page. */
export const usePathAt = (): ((path: string) => string) => {
  const { at } = useMoment()
  return (path) =>
    at === null ? path : `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`
}
