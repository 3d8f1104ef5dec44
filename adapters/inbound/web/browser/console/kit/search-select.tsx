/** A field that chooses one record of a list. It can be searched if the list has more records than it offers. */
import { useState } from 'react'
import { useList, type Query } from '../api.ts'
import { useTexts } from '../text.tsx'
import { commonTexts } from './common-texts.ts'
import { Select, TextField } from './field.tsx'
import { Problem } from './problem.tsx'
import { useSettled } from './settled.ts'

const OFFERED = '50'

interface Named {
  readonly id: string
  readonly name: string
}

export const SearchSelect = <Item extends Named>({
  name,
  label,
  hint,
  error,
  path,
  query = {},
  value,
  none,
  onChange,
}: {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | null | undefined
  /** Of the list that is searched with `?q=` */
  readonly path: string
  readonly query?: Query
  readonly value: Named | null
  /** The label of the option that chooses nothing */
  readonly none: string
  readonly onChange: (item: Item | null) => void
}) => {
  const text = useTexts(commonTexts)
  const [typed, setTyped] = useState('')
  const search = useSettled(typed)
  const list = useList<Item>(path, { ...query, q: search, limit: OFFERED, sort: 'name' })
  const found: readonly Item[] = list.data?.items ?? []
  const offered: readonly Named[] =
    value === null || found.some(({ id }) => id === value.id) ? found : [value, ...found]
  const isLong = typed !== '' || (list.data !== undefined && list.data.next !== null)
  return (
    <>
      {isLong && (
        <TextField
          name={`${name}-search`}
          type="search"
          label={`${label}: ${text.search}`}
          hint={text.searchStart}
          value={typed}
          onChange={setTyped}
        />
      )}
      <Select
        name={name}
        label={label}
        hint={hint}
        error={error}
        value={value?.id ?? ''}
        options={[
          { value: '', label: none },
          ...offered.map((item) => ({ value: item.id, label: item.name })),
        ]}
        onChange={(id) => {
          // The record that is chosen already need not be among those that were found.
          if (id !== value?.id) onChange(found.find((item) => item.id === id) ?? null)
        }}
      />
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
    </>
  )
}
