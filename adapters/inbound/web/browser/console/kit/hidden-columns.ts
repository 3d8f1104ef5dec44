/** Which columns of a list are hidden in this browser. */
import { useState } from 'react'

/** The same for all records of a kind: `/groups/{id}/members`. */
const storageKey = (path: string): string => `columns ${path.replaceAll(/\/[a-z]+_[^/]+/gi, '/{id}')}`

const read = (key: string): readonly string[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : []
  } catch {
    // No storage, or text of something else: nothing is hidden.
    return []
  }
}

const write = (key: string, names: readonly string[]): void => {
  try {
    if (names.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(names))
  } catch {
    // The choice then lasts as long as the page.
  }
}

/**
 * Returns the names of hidden columns, and a function that hides or shows one.
 * @param path of the route that is listed
 */
export const useHiddenColumns = (path: string) => {
  const key = storageKey(path)
  const [hidden, setHidden] = useState(() => read(key))
  const toggle = (name: string): void => {
    const after = hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name]
    setHidden(after)
    write(key, after)
  }
  return { hidden, toggle }
}
