/** A modal dialog: the browser's own, which keeps the focus inside, closes on Escape and gives the focus back. */
import { useEffect, useId, useRef, type ReactNode } from 'react'

export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string
  /** Called when it should close; the caller then stops rendering it */
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    if (dialog?.open === false) dialog.showModal()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
