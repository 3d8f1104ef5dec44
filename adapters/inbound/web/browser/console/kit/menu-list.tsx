/** The entries of an open menu. */
import { useLayoutEffect, useRef, type RefObject } from 'react'
import { useMenu, useMenuItem } from 'react-aria/useMenu'
import { useOverlay } from 'react-aria/useOverlay'
import { Item } from 'react-stately/Item'
import { useTreeState, type TreeState } from 'react-stately/useTreeState'
import { Aria } from './aria.tsx'
import styles from './kit.module.css'
import type { MenuEntry } from './menu-entry.ts'

/** Pixels between a menu and the edge of the page. */
const EDGE = 16

interface MenuListProps {
  readonly label: string
  /** Has the button, which opens and closes it */
  readonly frame: RefObject<HTMLElement | null>
  readonly hint?: string
  readonly entries: readonly MenuEntry[]
  readonly onAction: (id: string) => void
  readonly onClose: () => void
}

export const MenuList = (props: MenuListProps) => (
  <Aria>
    <OpenMenu {...props} />
  </Aria>
)

const OpenMenu = ({ label, frame, hint, entries, onAction, onClose }: MenuListProps) => {
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const isChoice = entries.some(({ checked }) => checked !== undefined)
  const options = {
    'aria-label': label,
    children: entries.map(({ id, label: entry }) => (
      <Item key={id} textValue={entry}>
        {entry}
      </Item>
    )),
    selectionMode: isChoice ? ('multiple' as const) : ('none' as const),
    selectedKeys: entries.flatMap(({ id, checked }) => (checked === true ? [id] : [])),
    autoFocus: 'first' as const,
    shouldFocusWrap: true,
    onAction: (key: string | number) => onAction(String(key)),
    onClose,
  }
  const state = useTreeState(options)
  const { menuProps } = useMenu(options, state, list)
  const { overlayProps } = useOverlay(
    {
      isOpen: true,
      onClose,
      isDismissable: true,
      shouldCloseOnBlur: true,
      shouldCloseOnInteractOutside: (element) => frame.current?.contains(element) !== true,
    },
    box,
  )
  // A menu that would leave the page at the right moves to the left, as far as it has to.
  useLayoutEffect(() => {
    if (box.current === null) return
    const room = document.documentElement.clientWidth - EDGE - box.current.getBoundingClientRect().right
    box.current.style.insetInlineStart = `${String(Math.min(0, room))}px`
  }, [])
  return (
    <div {...overlayProps} ref={box} className={styles['menuPanel']}>
      <ul {...menuProps} ref={list}>
        {[...state.collection].map(({ key, rendered }) => (
          <Entry
            key={key}
            id={key}
            state={state}
            isChoice={isChoice}
            isDangerous={entries.some(({ id, dangerous }) => id === key && dangerous === true)}
          >
            {rendered}
          </Entry>
        ))}
      </ul>
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  )
}

const Entry = ({
  id,
  state,
  isChoice,
  isDangerous,
  children,
}: {
  readonly id: string | number
  readonly state: TreeState<unknown>
  readonly isChoice: boolean
  readonly isDangerous: boolean
  readonly children: React.ReactNode
}) => {
  const element = useRef<HTMLLIElement>(null)
  const { menuItemProps, isSelected } = useMenuItem({ key: id, closeOnSelect: !isChoice }, state, element)
  return (
    <li {...menuItemProps} ref={element} data-dangerous={isDangerous || undefined}>
      {isChoice && <span aria-hidden="true">{isSelected ? '✓' : ''}</span>}
      {children}
    </li>
  )
}
