/** Asks before an action on several records, runs it for each, and lists those for which it failed. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../lib/api.ts'
import { useTexts } from '../text.tsx'
import { ActionInputField, missingInput, nothingEntered, sentInput } from './action-dialog.tsx'
import { bulkTexts } from './bulk-texts.ts'
import { pauseFor, runBulk, type BulkResult } from './bulk-run.ts'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { Dialog } from './dialog.tsx'
import { Problem, useProblemText } from './problem.tsx'
import type { RecordAction } from './record-action.ts'
import { useToast } from './toast.tsx'

/** Names that are listed before it starts, and failures afterwards */
const LISTED = 10

interface Progress {
  readonly finished: number
  readonly waiting: number | null
}

export const BulkCommand = <Item,>({
  action,
  chosen,
  counted,
  keyOf,
  nameOf,
  onClose,
}: {
  readonly action: RecordAction<Item>
  /** Those to which the action does not apply are left out */
  readonly chosen: readonly Item[]
  readonly counted: (count: number) => string
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  /** @param rest the records that were not changed */
  readonly onClose: (rest: readonly Item[]) => void
}) => {
  const text = useTexts(bulkTexts)
  const common = useTexts(commonTexts)
  const problemText = useProblemText()
  const toast = useToast()
  const client = useQueryClient()
  const { label, dangerous = false, effect, input } = action
  // The rows change while it runs.
  const [items] = useState(() => chosen.filter(action.applies))
  const [entered, setEntered] = useState(nothingEntered)
  const [isChecked, setIsChecked] = useState(false)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [result, setResult] = useState<BulkResult<Item> | null>(null)
  const stop = useRef(new AbortController())
  /** By command: one that is repeated after a failure takes effect once. */
  const keys = useRef(new Map<string, string>())
  const missing = missingInput(input, entered)
  const title = `${label}: ${counted(items.length)}`
  const isRunning = progress !== null
  const left = result === null ? items : [...result.failed.map(({ item }) => item), ...result.left]
  const changed = items.length - left.length

  const sendOne = async (item: Item): Promise<void> => {
    const { method, path, body } = action.command(item, sentInput(entered))
    const command = JSON.stringify([method, path, body])
    const key = keys.current.get(command) ?? crypto.randomUUID()
    keys.current.set(command, key)
    const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': key } : {}
    const { body: response } = await send<unknown>(method, path, { body, headers })
    const wrong = action.refuted?.(response) ?? null
    if (wrong !== null) throw new Error(wrong)
  }
  const run = async (): Promise<void> => {
    if (isRunning) return
    setIsChecked(true)
    if (missing !== null) return
    stop.current = new AbortController()
    const {
      failed,
      left: notSent,
      ...rest
    } = await runBulk({
      items: left,
      send: sendOne,
      pause: pauseFor,
      signal: stop.current.signal,
      onProgress: (finished, waiting) => setProgress({ finished, waiting }),
    })
    client.removeQueries({ type: 'inactive' })
    await client.invalidateQueries()
    setProgress(null)
    setResult({ ...rest, failed, left: notSent })
    if (failed.length > 0 || notSent.length > 0) return
    toast(text.finished(title))
    onClose([])
  }
  const close = (): void => {
    // What was sent is not undone; the list is right again after the answers.
    stop.current.abort()
    if (!isRunning) onClose(result === null ? chosen : left)
  }
  return (
    <Dialog title={title} onClose={close}>
      <form
        className="dialog-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        {items.length < chosen.length && <p>{text.appliesTo(items.length, chosen.length)}</p>}
        {result === null && (
          <>
            <p>{effect}</p>
            <ul>
              {items.slice(0, LISTED).map((item) => (
                <li key={keyOf(item)}>{nameOf(item)}</li>
              ))}
              {items.length > LISTED && <li>{text.more(items.length - LISTED)}</li>}
            </ul>
            {input !== undefined && (
              <ActionInputField
                input={input}
                entered={entered}
                error={isChecked ? missing : null}
                onChange={setEntered}
              />
            )}
          </>
        )}
        {result !== null && !isRunning && (
          <>
            <p role="status">{text.changed(changed, items.length)}</p>
            {result.ending !== null && <Problem error={result.ending} />}
            {result.failed.length > 0 && (
              <div className="notice notice-problem" role="alert">
                <div>
                  <p>{common.failed(result.failed.length, items.length)}</p>
                  <ul>
                    {result.failed.slice(0, LISTED).map(({ item, error }) => (
                      <li key={keyOf(item)}>
                        <strong>{nameOf(item)}</strong> {problemText(error)}
                      </li>
                    ))}
                    {result.failed.length > LISTED && <li>{text.more(result.failed.length - LISTED)}</li>}
                  </ul>
                </div>
              </div>
            )}
          </>
        )}
        {isRunning && (
          <>
            <progress max={left.length} value={progress.finished} aria-label={title} />
            <p role="status">
              {progress.waiting === null
                ? text.progress(changed + progress.finished, items.length)
                : text.waits(progress.waiting)}
            </p>
          </>
        )}
        <div className="actions">
          <Button onClick={close}>
            {isRunning ? text.stop : result === null ? common.cancel : common.close}
          </Button>
          {left.length > 0 && (result === null || result.ending === null) && (
            <Button type="submit" look={dangerous ? 'problem' : 'primary'} busy={isRunning}>
              {result === null ? label : text.again}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}
