/** A dialog that sends one command: says what it will do, takes what it needs, and shows why it failed. */
import { useEffect, useRef, useState, type ReactNode } from 'react'
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
  /** A field of the body that overrides the refusal which names it: sent as true by a second button, shown only then */
  readonly override?: { readonly field: string; readonly confirm: string }
  /** Returns what is wrong with a field; nothing is sent until it returns null */
  readonly check?: () => { readonly field: string; readonly message: string } | null
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
  override,
  check,
  done,
  onClose,
  onDone,
  fields,
  names = [],
}: CommandDialogProps<Result>) => {
  const text = useTexts(commonTexts)
  const toast = useToast()
  const { mutate, isPending, error } = useCommand<Result>()
  const [failedChecks, setFailedChecks] = useState(0)
  const [refused, setRefused] = useState('')
  const wrong = failedChecks === 0 ? null : (check?.() ?? null)
  const errorOf: FieldError = (name) => (wrong?.field === name ? wrong.message : fieldErrorOf(error)(name))
  // Only what was refused may be forced, not what the reader changed since.
  const isOverridable =
    override !== undefined &&
    error instanceof ApiError &&
    error.field === `/${override.field}` &&
    refused === JSON.stringify(command())
  const run = (sent: Command): void => {
    if (isPending) return
    if ((check?.() ?? null) !== null) {
      setFailedChecks(failedChecks + 1)
      return
    }
    mutate(sent, {
      onError: () => setRefused(JSON.stringify(sent)),
      onSuccess: (result) => {
        if (done !== undefined) toast(done)
        if (onDone === undefined) onClose()
        else onDone(result)
      },
    })
  }
  const atField = names.some((name) => errorOf(name) !== null)
  const form = useRef<HTMLFormElement>(null)
  // In a long form, the field that is wrong may be out of sight.
  useEffect(() => {
    if (error !== null || failedChecks > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [error, failedChecks])
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={form}
        className="dialog-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          run(command())
        }}
      >
        {intro}
        {fields?.(errorOf)}
        {error !== null && wrong === null && !atField && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>{cancel ?? text.cancel}</Button>
          {isOverridable && (
            <Button
              look="problem"
              busy={isPending}
              onClick={() => {
                const { body, ...rest } = command()
                run({ ...rest, body: { ...(body as object), [override.field]: true } })
              }}
            >
              {override.confirm}
            </Button>
          )}
          <Button type="submit" look={dangerous ? 'problem' : 'primary'} busy={isPending}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
