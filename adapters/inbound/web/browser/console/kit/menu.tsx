/** A button that opens a menu. The script of the menu is loaded when it is first opened. */
import { useRef, useState } from 'react'
import { Button, type ButtonLook } from './button.tsx'
import { deferred } from './deferred.tsx'
import styles from './kit.module.css'
import type { MenuEntry } from './menu-entry.ts'

const MenuList = deferred(async () => (await import('./menu-list.tsx')).MenuList)

export const Menu = ({
  label,
  look = 'plain',
  small = false,
  hint,
  entries,
  onAction,
}: {
  readonly label: string
  readonly look?: ButtonLook
  readonly small?: boolean
  /** Shown below the entries */
  readonly hint?: string
  readonly entries: readonly MenuEntry[]
  /** @param id of the entry */
  readonly onAction: (id: string) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const close = (): void => {
    // Whoever left the menu for something else keeps the focus there.
    if (frame.current?.contains(document.activeElement) === true)
      frame.current.querySelector('button')?.focus()
    setOpen(false)
  }
  return (
    <div
      ref={frame}
      className={styles['menu']}
      onKeyDown={(event) => {
        if (isOpen || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
        event.preventDefault()
        setOpen(true)
      }}
    >
      <Button look={look} small={small} expanded={isOpen} onClick={() => (isOpen ? close() : setOpen(true))}>
        {label}
      </Button>
      {isOpen && (
        <div className={styles['menuBox']}>
          <MenuList
            label={label}
            frame={frame}
            entries={entries}
            onAction={onAction}
            onClose={close}
            {...(hint === undefined ? {} : { hint })}
          />
        </div>
      )}
    </div>
  )
}
