/** The dialogs of a declared action: for one record, and for several rows of a list. */
import { useState, type ReactNode } from 'react'
import { CommandDialog, type FieldError } from './command-dialog.tsx'
import { TextArea } from './field.tsx'
import type { ActionInput, RecordAction } from './record-action.ts'
import { SearchSelect } from './search-select.tsx'

/** What an action takes besides the record. */
export interface Entered {
  readonly id: string
  readonly name: string
}

export const nothingEntered: Entered = { id: '', name: '' }

/** What is sent: the text, or the id of the record. */
export const sentInput = ({ id }: Entered): string => id.trim()

/** Returns what is missing; null if nothing is. */
export const missingInput = (input: ActionInput | undefined, entered: Entered): string | null =>
  input?.needed !== undefined && sentInput(entered) === '' ? input.needed : null

export const ActionInputField = ({
  input,
  entered,
  error,
  onChange,
}: {
  readonly input: ActionInput
  readonly entered: Entered
  readonly error: string | null
  readonly onChange: (entered: Entered) => void
}) => {
  const { name, label, hint, records } = input
  return records === undefined ? (
    <TextArea
      name={name}
      label={label}
      hint={hint}
      rows={3}
      value={entered.id}
      error={error}
      onChange={(text) => onChange({ id: text, name: text })}
    />
  ) : (
    <SearchSelect
      {...records}
      name={name}
      label={label}
      hint={hint}
      value={entered.id === '' ? null : entered}
      error={error}
      onChange={(chosen) => onChange(chosen ?? nothingEntered)}
    />
  )
}

/** Asks before an action on one record. */
export const ActionDialog = <Item,>({
  action: { label, dangerous = false, effect, input, command },
  item,
  title,
  detail,
  done,
  onClose,
  onDone = onClose,
}: {
  readonly action: RecordAction<Item>
  readonly item: Item
  readonly title: string
  /** What tells the record apart from others of this name, or what else happens to it */
  readonly detail?: ReactNode
  /** Shown as a toast */
  readonly done: string
  readonly onClose: () => void
  /** Called instead of closing the dialog, such as for a record that is gone */
  readonly onDone?: () => void
}) => {
  const [entered, setEntered] = useState(nothingEntered)
  return (
    <CommandDialog
      title={title}
      intro={
        <>
          {detail}
          <p>{effect}</p>
        </>
      }
      confirm={label}
      dangerous={dangerous}
      done={done}
      command={() => command(item, sentInput(entered))}
      onClose={onClose}
      onDone={onDone}
      {...(input === undefined
        ? {}
        : {
            names: [input.name],
            check: () => {
              const message = missingInput(input, entered)
              return message === null ? null : { field: input.name, message }
            },
            fields: (errorOf: FieldError) => (
              <ActionInputField
                input={input}
                entered={entered}
                error={errorOf(input.name)}
                onChange={setEntered}
              />
            ),
          })}
    />
  )
}
