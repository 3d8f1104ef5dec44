/** Above a list: selects rows, and offers what can be done with them. */
import { useState } from 'react'
import { readPage, type Query } from '../api.ts'
import { useTexts } from '../text.tsx'
import { bulkTexts } from './bulk-texts.ts'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { deferred } from './deferred.tsx'
import styles from './kit.module.css'
import { Problem } from './problem.tsx'
import type { BulkActions, RecordAction } from './record-action.ts'

const MOST_SELECTED = 1000
const PAGE = '200'

type BulkCommandProps = Parameters<(typeof import('./bulk-command.tsx'))['BulkCommand']>[0]

const BulkCommand = deferred<BulkCommandProps>(async () => (await import('./bulk-command.tsx')).BulkCommand)

export const BulkBar = <Item,>({
  chosen,
  bulk: { actions, counted },
  shown,
  hasMore,
  path,
  query,
  isShown,
  keyOf,
  nameOf,
  onChange,
}: {
  readonly chosen: ReadonlyMap<string, Item>
  readonly bulk: BulkActions<Item>
  /** The rows of this page */
  readonly shown: readonly Item[]
  /** Whether the list has further pages */
  readonly hasMore: boolean
  /** Of the list, without its page */
  readonly path: string
  readonly query: Query
  /** Whether a row that the route returns is part of the list */
  readonly isShown: (item: Item) => boolean
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  readonly onChange: (chosen: ReadonlyMap<string, Item>) => void
}) => {
  const text = useTexts(bulkTexts)
  const common = useTexts(commonTexts)
  const [running, setRunning] = useState<RecordAction<Item> | null>(null)
  const [read, setRead] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isCut, setIsCut] = useState(false)
  const all = shown.length > 0 && shown.every((item) => chosen.has(keyOf(item)))
  const items = [...chosen.values()]
  const select = (selected: readonly Item[]): void =>
    onChange(new Map(selected.map((item) => [keyOf(item), item])))

  const selectRest = async (): Promise<void> => {
    setError(null)
    const found: Item[] = []
    try {
      let cursor: string | null | undefined
      do {
        setRead(found.length)
        const page = await readPage<Item>(path, { ...query, limit: PAGE, cursor: cursor ?? undefined })
        found.push(...page.items.filter(isShown))
        cursor = page.next
      } while (cursor !== null && found.length < MOST_SELECTED)
      setIsCut(cursor !== null || found.length > MOST_SELECTED)
      select(found.slice(0, MOST_SELECTED))
    } catch (thrown) {
      setError(thrown as Error)
    } finally {
      setRead(null)
    }
  }
  return (
    <>
      <div className={styles['bulk']}>
        <label>
          <input type="checkbox" checked={all} onChange={() => select(all ? [] : shown)} /> {common.selectAll}
        </label>
        {chosen.size > 0 && (
          <div className={styles['bulkActions']} role="group" aria-label={text.actions}>
            <span role="status">
              {isCut && chosen.size === MOST_SELECTED
                ? text.selectedMost(chosen.size)
                : common.selected(chosen.size)}
            </span>
            {all && hasMore && chosen.size <= shown.length && (
              <Button small look="quiet" busy={read !== null} onClick={() => void selectRest()}>
                {read === null ? text.selectRest : text.selecting(read)}
              </Button>
            )}
            {actions.map((action) => {
              const count = items.filter(action.applies).length
              return (
                <Button
                  key={action.label}
                  small
                  look={action.dangerous === true ? 'danger' : 'plain'}
                  disabled={count === 0}
                  onClick={() => setRunning(action)}
                >
                  {count === items.length ? action.label : `${action.label} (${String(count)})`}
                </Button>
              )
            })}
          </div>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      {running !== null && (
        <BulkCommand
          action={running as RecordAction<unknown>}
          chosen={items}
          counted={counted}
          keyOf={keyOf as (item: unknown) => string}
          nameOf={nameOf as (item: unknown) => string}
          onClose={(rest) => {
            setRunning(null)
            select(rest as readonly Item[])
          }}
        />
      )}
    </>
  )
}
