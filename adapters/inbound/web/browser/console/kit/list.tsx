/** Lists: filters and sort order are in the address, the server pages and searches. */
import { memo, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { useList, type Query } from '../api.ts'
import { useMoment } from '../moment.tsx'
import { useTexts } from '../text.tsx'
import { afterPaint } from './after-paint.ts'
import { BulkBar } from './bulk-bar.tsx'
import { Button } from './button.tsx'
import type { Column } from './column.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { commonTexts } from './common-texts.ts'
import { ExportButton } from './export-button.tsx'
import { Select, TextField, type Option } from './field.tsx'
import { useHiddenColumns } from './hidden-columns.ts'
import styles from './kit.module.css'
import { LiveButton } from './live-button.tsx'
import { Loaded } from './record.tsx'
import { useAllowed, type BulkActions } from './record-action.ts'
import { CellText, TableFrame } from './table-frame.tsx'

export type { Column } from './column.ts'

export interface Filter<Item = unknown> {
  /** The query parameter */
  readonly name: string
  readonly label: string
  /** Choices; without them it is a search field */
  readonly options?: readonly Option[]
  /** Whether the route accepts it together with `?at=`; default: true */
  readonly past?: boolean
  /** Chooses rows in the browser, for a route that returns all of them at once and has no such parameter */
  readonly matches?: (item: Item, value: string) => boolean
}

const TYPING_MS = 250

const noBulk: BulkActions<unknown> = { counted: String, actions: [] }

/** Applies what is typed after a pause, so that not each key sends a request. */
const SearchField = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) => {
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed === value) return undefined
    const timer = setTimeout(() => {
      onChange(typed)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [typed, value, onChange])
  return <TextField name="q" type="search" label={label} value={typed} onChange={setTyped} />
}

export const RecordList = <Item,>({
  path,
  label,
  columns: known,
  keyOf,
  nameOf,
  filters = [],
  fixed = {},
  sort,
  past = false,
  empty,
  bulk = noBulk,
  live = false,
}: {
  /** Of the route, such as `/users` */
  readonly path: string
  /** What is listed; also the name of the exported file */
  readonly label: string
  /** The first names the row, and is always shown */
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  readonly filters?: readonly Filter<Item>[]
  /** Query parameters that the reader cannot change */
  readonly fixed?: Query
  /** The default order, if the list can be sorted */
  readonly sort?: string
  /** Whether the route can list the past */
  readonly past?: boolean
  readonly empty: ReactNode
  /** What can be done with several rows; the roles decide what is offered */
  readonly bulk?: BulkActions<Item>
  /** Whether the route can send new rows as an event stream */
  readonly live?: boolean
}) => {
  const text = useTexts(commonTexts)
  const { at } = useMoment()
  const [search, setSearch] = useSearchParams()
  const [chosen, setChosen] = useState<ReadonlyMap<string, Item>>(new Map())
  const actions = useAllowed(bulk.actions)
  const { hidden, toggle } = useHiddenColumns(path)
  const columns = useMemo(
    () => known.filter(({ name }, index) => index === 0 || !hidden.includes(name)),
    [known, hidden],
  )
  const usable = filters.filter((filter) => at === null || filter.past !== false)
  const order = at === null && sort !== undefined ? (search.get('sort') ?? sort) : undefined
  const filled = Object.fromEntries(usable.map(({ name }) => [name, search.get(name) ?? undefined]))
  const cursor = search.get('cursor') ?? undefined
  const sent = Object.fromEntries(
    usable.flatMap(({ name, matches }) => (matches === undefined ? [[name, filled[name]]] : [])),
  )
  const isShown = (item: Item): boolean =>
    usable.every(({ name, matches }) => {
      const value = filled[name]
      return matches === undefined || value === undefined || matches(item, value)
    })
  const query: Query = { ...sent, ...fixed, ...(order === undefined ? {} : { sort: order }) }
  const list = useList<Item>(path, { ...query, cursor }, past)
  /** The page before each page that was reached from here */
  const pageBefore = useRef(new Map<string, string>())
  const previous = cursor === undefined ? undefined : pageBefore.current.get(cursor)
  const isFiltered = Object.values(filled).some((value) => value !== undefined)

  const change = (name: string, value: string): void => {
    setChosen(new Map())
    // Each page of the list is an entry of the history; each letter of a search is not.
    const changed = (before: URLSearchParams): URLSearchParams => {
      const after = new URLSearchParams(before)
      if (name !== 'cursor') after.delete('cursor')
      if (value === '') after.delete(name)
      else after.set(name, value)
      return after
    }
    const apply = (): void => {
      setSearch(changed, { replace: name !== 'cursor' })
    }
    // A field would show its old value until then.
    if (name === 'cursor' || name === 'sort') afterPaint(apply)
    else apply()
  }
  const clear = (): void => {
    setSearch((before) => {
      const after = new URLSearchParams(before)
      for (const { name } of filters) after.delete(name)
      after.delete('cursor')
      return after
    })
  }

  return (
    <div className={styles['list']}>
      {(usable.length > 0 || at === null) && (
        <div className={styles['filters']} role="search" aria-label={label}>
          {usable.map(({ name, label: filterLabel, options }) =>
            options === undefined ? (
              <SearchField
                key={name}
                label={filterLabel}
                value={search.get(name) ?? ''}
                onChange={(value) => {
                  change(name, value)
                }}
              />
            ) : (
              <Select
                key={name}
                name={name}
                label={filterLabel}
                value={search.get(name) ?? ''}
                options={[{ value: '', label: text.all }, ...options]}
                onChange={(value) => {
                  change(name, value)
                }}
              />
            ),
          )}
          <div className={styles['listActions']}>
            {isFiltered && (
              <Button look="quiet" onClick={clear}>
                {text.clear}
              </Button>
            )}
            {live && at === null && cursor === undefined && <LiveButton path={path} query={query} />}
            <ExportButton
              path={path}
              query={at === null || !past ? query : { ...query, at }}
              label={label}
              columns={columns}
              isShown={isShown}
            />
            <ColumnsMenu columns={known} hidden={hidden} onToggle={toggle} />
          </div>
        </div>
      )}
      <Loaded query={list}>
        {({ items: read, next }) => {
          const items = usable.some(({ matches }) => matches !== undefined) ? read.filter(isShown) : read
          const canSelect =
            chosen.size > 0 || items.some((item) => actions.some(({ applies }) => applies(item)))
          return items.length === 0 && cursor === undefined ? (
            <div className={styles['empty']}>{empty}</div>
          ) : (
            <>
              {canSelect && (
                <BulkBar
                  chosen={chosen}
                  bulk={{ ...bulk, actions }}
                  shown={items}
                  hasMore={next !== null || cursor !== undefined}
                  path={path}
                  query={query}
                  isShown={isShown}
                  keyOf={keyOf}
                  nameOf={nameOf}
                  onChange={setChosen}
                />
              )}
              <TableFrame busy={list.isPlaceholderData}>
                <table className={styles['table']} aria-label={label}>
                  <thead>
                    <tr>
                      {canSelect && (
                        <th scope="col" className={styles['pick']}>
                          <span className="visually-hidden">{text.select('')}</span>
                        </th>
                      )}
                      {columns.map((column) => (
                        <SortableHead
                          key={column.name}
                          column={column}
                          order={order}
                          onSort={(value) => change('sort', value)}
                        />
                      ))}
                    </tr>
                  </thead>
                  <Rows
                    items={items}
                    columns={columns}
                    keyOf={keyOf}
                    nameOf={nameOf}
                    chosen={canSelect ? chosen : null}
                    onChoose={setChosen}
                  />
                </table>
              </TableFrame>
              <nav className={styles['pager']} aria-label={label}>
                <span className="hint">{text.page(items.length)}</span>
                {cursor !== undefined && (
                  <Button small onClick={() => change('cursor', '')}>
                    {text.firstPage}
                  </Button>
                )}
                {previous !== undefined && (
                  <Button small onClick={() => change('cursor', previous)}>
                    {text.previous}
                  </Button>
                )}
                {next !== null && (
                  <Button
                    small
                    onClick={() => {
                      pageBefore.current.set(next, cursor ?? '')
                      change('cursor', next)
                    }}
                  >
                    {text.next}
                  </Button>
                )}
              </nav>
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

interface RowsProps<Item> {
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  /** By their keys; null if rows cannot be chosen */
  readonly chosen: ReadonlyMap<string, Item> | null
  readonly onChoose: (chosen: ReadonlyMap<string, Item>) => void
}

const DrawnRows = <Item,>({ items, columns, keyOf, nameOf, chosen, onChoose }: RowsProps<Item>) => {
  const text = useTexts(commonTexts)
  return (
    <tbody>
      {items.map((item) => (
        <tr key={keyOf(item)}>
          {chosen !== null && (
            <td className={styles['pick']}>
              <input
                type="checkbox"
                aria-label={text.select(nameOf(item))}
                checked={chosen.has(keyOf(item))}
                onChange={(event) => {
                  const after = new Map(chosen)
                  if (event.target.checked) after.set(keyOf(item), item)
                  else after.delete(keyOf(item))
                  onChoose(after)
                }}
              />
            </td>
          )}
          {columns.map((column) => (
            <td key={column.name} data-label={column.label}>
              <Cell>{column.cell(item)}</Cell>
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

/** The rows stay as they are while the next ones are read, so that the page reacts at once. */
const Rows = memo(DrawnRows) as typeof DrawnRows

const Cell = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles['cell']}>
    {typeof children === 'string' ? <CellText>{children}</CellText> : children}
  </div>
)

const SortableHead = <Item,>({
  column: { label, sort },
  order,
  onSort,
}: {
  readonly column: Column<Item>
  readonly order: string | undefined
  readonly onSort: (order: string) => void
}) => {
  if (sort === undefined || order === undefined) return <th scope="col">{label}</th>
  const ascending = order === sort
  const descending = order === `-${sort}`
  return (
    <th scope="col" aria-sort={ascending ? 'ascending' : descending ? 'descending' : 'none'}>
      <button type="button" className={styles['sort']} onClick={() => onSort(ascending ? `-${sort}` : sort)}>
        {label} <span aria-hidden="true">{ascending ? '↑' : descending ? '↓' : '↕'}</span>
      </button>
    </th>
  )
}
