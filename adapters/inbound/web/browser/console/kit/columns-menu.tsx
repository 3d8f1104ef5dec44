/** Chooses the columns of a list. The first names the row, so it always stays. */
import { useTexts } from '../text.tsx'
import type { Column } from './column.ts'
import { commonTexts } from './common-texts.ts'
import { Menu } from './menu.tsx'

export const ColumnsMenu = <Item,>({
  columns,
  hidden,
  onToggle,
}: {
  readonly columns: readonly Column<Item>[]
  /** Names of columns */
  readonly hidden: readonly string[]
  readonly onToggle: (name: string) => void
}) => {
  const text = useTexts(commonTexts)
  const [, ...optional] = columns
  if (optional.length === 0) return null
  return (
    <Menu
      label={text.columns}
      look="quiet"
      hint={text.columnsHint}
      entries={optional.map(({ name, label }) => ({ id: name, label, checked: !hidden.includes(name) }))}
      onAction={onToggle}
    />
  )
}
