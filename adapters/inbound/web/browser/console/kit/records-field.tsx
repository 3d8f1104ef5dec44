/** Chooses records inside a form. Those that are chosen stay in view while others are searched. */
import { useState } from 'react'
import { useList } from '../api.ts'
import { useTexts } from '../text.tsx'
import { commonTexts } from './common-texts.ts'
import { Checkbox } from './field.tsx'
import styles from './kit.module.css'
import { Problem } from './problem.tsx'
import { Combobox } from './search-select.tsx'
import { useSettled } from './settled.ts'

const OFFERED = '20'

export interface NamedRecord {
  readonly id: string
  readonly name: string
}

export const RecordsField = <Item extends NamedRecord>({
  name,
  label,
  hint,
  search,
  none,
  path,
  chosen,
  error,
  onChange,
}: {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** The label of the search; default: the common one */
  readonly search?: string
  /** Shown if nothing is found */
  readonly none: string
  /** Of the list that is searched with `?q=` */
  readonly path: string
  readonly chosen: readonly NamedRecord[]
  readonly error?: string | null
  readonly onChange: (chosen: readonly (Item | NamedRecord)[]) => void
}) => {
  const text = useTexts(commonTexts)
  const [typed, setTyped] = useState('')
  const found = useList<Item>(path, { q: useSettled(typed), limit: OFFERED, sort: 'name' })
  const offered = found.data?.items.filter(({ id }) => !chosen.some((one) => one.id === id))
  return (
    <fieldset
      className={styles['choices']}
      aria-invalid={error ? true : undefined}
      onKeyDown={(event) => {
        // Enter in the search is not meant to send the form.
        if (event.key === 'Enter') event.preventDefault()
      }}
    >
      <legend>{label}</legend>
      {hint !== undefined && <p className="hint">{hint}</p>}
      {chosen.map((one) => (
        <Checkbox
          key={one.id}
          label={one.name}
          checked
          onChange={() => onChange(chosen.filter(({ id }) => id !== one.id))}
        />
      ))}
      <Combobox
        name={`search-${name}`}
        label={search ?? text.search}
        placeholder={text.typeName}
        empty={none}
        found={offered}
        hasMore={found.data !== undefined && found.data.next !== null}
        chosen={null}
        adds
        onSearch={setTyped}
        onChoose={(id) => {
          const picked = offered?.find((one) => one.id === id)
          if (picked !== undefined) onChange([...chosen, picked])
        }}
      />
      {found.error !== null && <Problem error={found.error} retry={() => void found.refetch()} />}
      {error && <p className="field-error">{error}</p>}
    </fieldset>
  )
}
