/** Short messages about what was done, which screen readers announce. */
import { createContext, useCallback, useContext, useRef, useState, type ReactNode } from 'react'
import styles from './kit.module.css'

const SHOWN_MS = 6_000

const Context = createContext<(message: string) => void>(() => undefined)

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const [message, setMessage] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = useCallback((next: string) => {
    clearTimeout(timer.current)
    setMessage(next)
    timer.current = setTimeout(() => {
      setMessage('')
    }, SHOWN_MS)
  }, [])
  return (
    <Context value={show}>
      {children}
      <div className={styles['toast']} role="status">
        {message}
      </div>
    </Context>
  )
}

export const useToast = (): ((message: string) => void) => useContext(Context)
