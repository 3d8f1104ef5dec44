/** A field that chooses one record of a list, which the server searches. */
import { useState } from 'react'
import { useList, type Query } from '../api.ts'
import { useTexts } from '../text.tsx'
import { commonTexts } from './common-texts.ts'
import { deferred } from './deferred.tsx'
import { Problem } from './problem.tsx'
import { useSettled } from './settled.ts'

const OFFERED = '20'

export const Combobox = deferred(async () => (await import('./combobox.tsx')).Combobox)

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
  /** Shown while nothing is chosen */
  readonly none: string
  readonly onChange: (item: Item | null) => void
}) => {
  const text = useTexts(commonTexts)
  const [typed, setTyped] = useState('')
  const list = useList<Item>(path, { ...query, q: useSettled(typed), limit: OFFERED, sort: 'name' })
  return (
    <>
      <Combobox
        name={name}
        label={label}
        hint={hint}
        error={error}
        placeholder={none}
        empty={text.nothingFound}
        found={list.data?.items}
        hasMore={list.data !== undefined && list.data.next !== null}
        chosen={value}
        onSearch={setTyped}
        onChoose={(id) => onChange(list.data?.items.find((item) => item.id === id) ?? null)}
      />
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
    </>
  )
}
