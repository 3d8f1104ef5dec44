import { useState } from 'react'
import { useList } from '../api.ts'
import { Checkbox, TextField } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { Loaded } from '../kit/record.tsx'
import { useSettled } from '../kit/settled.ts'
import type { GroupRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { applicationsTexts } from './applications-texts.ts'

const SHOWN = '5'

/** Chooses groups inside a form. Those that are chosen stay in view while others are searched. */
export const GroupsField = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly GroupRecord[]
  readonly onChange: (chosen: readonly GroupRecord[]) => void
}) => {
  const text = useTexts(applicationsTexts)
  const [typed, setTyped] = useState('')
  const groups = useList<GroupRecord>('/groups', { q: useSettled(typed), limit: SHOWN, sort: 'name' })
  const isChosen = ({ id }: GroupRecord): boolean => chosen.some((one) => one.id === id)
  return (
    <fieldset
      className={styles['choices']}
      onKeyDown={(event) => {
        // Enter in the search is not meant to send the form.
        if (event.key === 'Enter') event.preventDefault()
      }}
    >
      <legend>{text.groupsField}</legend>
      <p className="hint">{text.groupsHint}</p>
      <TextField
        name="searchGroups"
        type="search"
        label={text.searchGroups}
        value={typed}
        onChange={setTyped}
      />
      {chosen.map((group) => (
        <Checkbox
          key={group.id}
          label={group.name}
          checked
          onChange={() => onChange(chosen.filter(({ id }) => id !== group.id))}
        />
      ))}
      <Loaded query={groups}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="hint">{text.noGroups}</p>
          ) : (
            items
              .filter((group) => !isChosen(group))
              .map((group) => (
                <Checkbox
                  key={group.id}
                  label={group.name}
                  checked={false}
                  onChange={() => onChange([...chosen, group])}
                />
              ))
          )
        }
      </Loaded>
    </fieldset>
  )
}
