import type { FieldError } from '../kit/command-dialog.tsx'
import { TextArea, TextField } from '../kit/field.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import type { ListedUserRecord, ServiceAccountRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { serviceAccountsTexts } from './service-accounts-texts.ts'

export interface AccountValues {
  readonly name: string
  readonly description: string
  readonly owner: { readonly id: string; readonly name: string } | null
}

/** The names of the fields, for errors. */
export const accountFieldNames = ['name', 'description', 'ownerId'] as const

/** Returns what is sent for a new account. */
export const newAccountOf = ({ name, description, owner }: AccountValues) => ({
  name: name.trim(),
  ...(description.trim() === '' ? {} : { description: description.trim() }),
  ...(owner === null ? {} : { ownerId: owner.id }),
})

/** Returns only what was changed, so that a change by someone else meanwhile is kept. */
export const accountChangesOf = (
  { name, description, owner }: AccountValues,
  before: Pick<ServiceAccountRecord, 'name' | 'description' | 'ownerId'>,
) => ({
  ...(name === before.name ? {} : { name: name.trim() }),
  ...(description === (before.description ?? '') ? {} : { description: description.trim() || null }),
  ...((owner?.id ?? null) === before.ownerId ? {} : { ownerId: owner?.id ?? null }),
})

export const ServiceAccountFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: AccountValues
  readonly onChange: (values: AccountValues) => void
  readonly errorOf: FieldError
}) => {
  const text = useTexts(serviceAccountsTexts)
  return (
    <>
      <TextField
        name="name"
        label={text.name}
        value={values.name}
        onChange={(name) => onChange({ ...values, name })}
        error={errorOf('name')}
        required
        autoFocus
      />
      <TextArea
        name="description"
        label={text.description}
        hint={text.optional}
        value={values.description}
        onChange={(description) => onChange({ ...values, description })}
        error={errorOf('description')}
      />
      <SearchSelect<ListedUserRecord>
        name="ownerId"
        label={text.owner}
        hint={text.ownerHint}
        path="/users"
        value={values.owner}
        none={text.noOwner}
        onChange={(owner) => onChange({ ...values, owner })}
        error={errorOf('ownerId')}
      />
    </>
  )
}
