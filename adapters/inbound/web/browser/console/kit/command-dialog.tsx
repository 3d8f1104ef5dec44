/** A dialog that sends one command: says what it will do, takes what it needs, and shows why it failed. */
import type { ReactNode } from 'react'
import { ApiError, useCommand, type Command } from '../api.ts'
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'
import { useToast } from './toast.tsx'

/** Returns the message for a field, given its name in the request body. */
export type FieldError = (name: string) => string | null

const fieldErrorOf =
  (error: Error | null): FieldError =>
  (name) => {
    if (!(error instanceof ApiError) || error.field === null) return null
    return error.field === `/${name}` || error.field.startsWith(`/${name}/`) ? error.message : null
  }

export interface CommandDialogProps<Result> {
  readonly title: string
  /** What the command will do, before it is sent */
  readonly intro?: ReactNode
  readonly confirm: string
  /** The label of the button that closes it; default: Cancel */
  readonly cancel?: string
  readonly dangerous?: boolean
  readonly command: () => Command
  /** Shown as a toast; not needed if `onDone` shows the result */
  readonly done?: string
  readonly onClose: () => void
  /** Called instead of closing the dialog, with the response */
  readonly onDone?: (result: Result) => void
  /** The fields; `errorOf` has the message for each */
  readonly fields?: (errorOf: FieldError) => ReactNode
  /** The names of the fields; an error of any other is shown below them */
  readonly names?: readonly string[]
}

export const CommandDialog = <Result,>({
  title,
  intro,
  confirm,
  cancel,
  dangerous = false,
  command,
  done,
  onClose,
  onDone,
  fields,
  names = [],
}: CommandDialogProps<Result>) => {
  const text = useTexts(commonTexts)
  const toast = useToast()
  const { mutate, isPending, error } = useCommand<Result>()
  const errorOf = fieldErrorOf(error)
  const atField = names.some((name) => errorOf(name) !== null)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="dialog-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isPending) return
          mutate(command(), {
            onSuccess: (result) => {
              if (done !== undefined) toast(done)
              if (onDone === undefined) onClose()
              else onDone(result)
            },
          })
        }}
      >
        {intro}
        {fields?.(errorOf)}
        {error !== null && !atField && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>{cancel ?? text.cancel}</Button>
          <Button type="submit" look={dangerous ? 'problem' : 'primary'} busy={isPending}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
