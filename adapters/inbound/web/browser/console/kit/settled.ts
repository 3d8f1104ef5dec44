import { useEffect, useState } from 'react'

const TYPING_MS = 250

/** Returns what was typed, after a pause, so that not each key sends a request. */
export const useSettled = (typed: string): string => {
  const [settled, setSettled] = useState(typed.trim())
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return settled
}
