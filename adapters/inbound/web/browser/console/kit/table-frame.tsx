/** The frame of a table, which takes the widest form that does not scroll sideways. */
import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { Breakable } from './breakable.tsx'
import styles from './kit.module.css'

/** From the widest on; kit.module.css draws them. */
const forms = ['wide', 'tight', 'cards'] as const

/** Rows are always cards, as kit.module.css expects. */
const narrow = matchMedia('(max-width: 40rem)')

type Form = (typeof forms)[number]

/** The form of the table around a cell. */
const TableForm = createContext<Form>('wide')

const scrolls = (frame: HTMLElement): boolean => frame.scrollWidth > frame.clientWidth

/**
 * What a form depends on besides the contents, which only ever make it narrower: rows do not change back and forth. The
 * width of the frame does not count, because the form changes it: longer pages have a scroll bar.
 */
const roomOf = (frame: HTMLElement): string =>
  [innerWidth, frame.querySelector('thead > tr')?.childElementCount].join()

export const TableFrame = ({
  busy = false,
  children,
}: {
  /** Whether the rows are about to be replaced */
  readonly busy?: boolean
  /** The table */
  readonly children: ReactNode
}) => {
  const box = useRef<HTMLDivElement>(null)
  const room = useRef('')
  const [form, setForm] = useState<Form>('wide')
  const [, setSize] = useState('')
  useLayoutEffect(() => {
    const frame = box.current
    if (frame === null || busy) return
    const before = room.current
    room.current = roomOf(frame)
    const first = narrow.matches ? 'cards' : 'wide'
    if (room.current !== before && form !== first) setForm(first)
    else if (scrolls(frame)) setForm(forms[forms.indexOf(form) + 1] ?? 'cards')
  })
  // The window changes its size, and cells whose values are read later change that of the table.
  useEffect(() => {
    const frame = box.current
    if (frame === null) return undefined
    const observer = new ResizeObserver(() => setSize([frame.clientWidth, frame.scrollWidth].join()))
    observer.observe(frame)
    for (const table of frame.children) observer.observe(table)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={box} className={styles['tableFrame']} data-form={form} aria-busy={busy}>
      <TableForm value={form}>{children}</TableForm>
    </div>
  )
}

/** Text of a cell, whose addresses and keys break only where there is no room for them. */
export const CellText = ({ children }: { readonly children: string }) =>
  useContext(TableForm) === 'wide' ? children : <Breakable>{children}</Breakable>
