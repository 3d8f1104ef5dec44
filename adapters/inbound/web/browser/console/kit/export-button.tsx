/** Exports every page of a list as CSV. */
import { useState } from 'react'
import { readPage, type Query } from '../api.ts'
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import type { Column } from './column.ts'
import { commonTexts } from './common-texts.ts'
import { csvOf, download } from './csv.ts'

const EXPORT_PAGE = '200'

export const ExportButton = <Item,>({
  path,
  query,
  label,
  columns,
  isShown,
}: {
  readonly path: string
  readonly query: Query
  readonly label: string
  readonly columns: readonly Column<Item>[]
  /** Whether a row that the route returns is part of the list */
  readonly isShown: (item: Item) => boolean
}) => {
  const text = useTexts(commonTexts)
  const [rows, setRows] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const run = async (): Promise<void> => {
    setError(null)
    const items: Item[] = []
    try {
      for (let cursor: string | null | undefined; cursor !== null;) {
        setRows(items.length)
        const page: { items: readonly Item[]; next: string | null } = await readPage<Item>(path, {
          ...query,
          cursor,
          limit: EXPORT_PAGE,
        })
        items.push(...page.items.filter(isShown))
        cursor = page.next
      }
      const exported = columns.flatMap(({ label: head, text: textOf }) =>
        textOf === undefined ? [] : [{ head, textOf }],
      )
      download(
        `${label}.csv`,
        csvOf([
          exported.map(({ head }) => head),
          ...items.map((item) => exported.map(({ textOf }) => textOf(item))),
        ]),
      )
    } catch (thrown) {
      setError(thrown as Error)
    } finally {
      setRows(null)
    }
  }
  return (
    <>
      <Button look="quiet" busy={rows !== null} onClick={() => void run()}>
        {rows === null ? text.exportCsv : text.exporting(rows)}
      </Button>
      {error !== null && <span role="alert">{error.message}</span>}
    </>
  )
}
