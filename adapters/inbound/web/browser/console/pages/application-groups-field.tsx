import { RecordsField, type NamedRecord } from '../kit/records-field.tsx'
import type { GroupRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { applicationsTexts } from './applications-texts.ts'

/** Chooses groups inside a form. */
export const GroupsField = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly NamedRecord[]
  readonly onChange: (chosen: readonly NamedRecord[]) => void
}) => {
  const text = useTexts(applicationsTexts)
  return (
    <RecordsField<GroupRecord>
      name="groups"
      label={text.groupsField}
      hint={text.groupsHint}
      search={text.searchGroups}
      none={text.noGroups}
      path="/groups"
      chosen={chosen}
      onChange={onChange}
    />
  )
}
