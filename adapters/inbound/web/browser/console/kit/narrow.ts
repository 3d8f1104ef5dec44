import { useSyncExternalStore } from 'react'

/** As in kit.module.css. */
const narrow = matchMedia('(max-width: 40rem)')

const subscribe = (onChange: () => void): (() => void) => {
  narrow.addEventListener('change', onChange)
  return () => narrow.removeEventListener('change', onChange)
}

/** Returns whether the page is as narrow as on a phone. */
export const isNarrow = (): boolean => narrow.matches

/** Whether the page is as narrow as on a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow)
