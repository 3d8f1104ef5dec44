/** Invites many users: a pasted list, one request for each, and what came of it. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../lib/api.ts'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { csvOf, download } from '../kit/csv.ts'
import { Dialog } from '../kit/dialog.tsx'
import { TextArea } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import type { InvitedUserRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { readInvitations, type Invitation } from './invitation-lines.ts'
import { inviteManyTexts } from './invite-many-texts.ts'

interface Failure extends Invitation {
  readonly message: string
}

interface Outcome {
  readonly invited: readonly InvitedUserRecord[]
  readonly failed: readonly Failure[]
}

export const InviteMany = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(inviteManyTexts)
  const common = useTexts(commonTexts)
  const client = useQueryClient()
  const [pasted, setPasted] = useState('')
  const [progress, setProgress] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [asked, setAsked] = useState(false)
  const { invitations, unclear } = readInvitations(pasted)
  const problem =
    unclear.length > 0 ? text.unclear(unclear[0] ?? '') : invitations.length === 0 ? text.nobody : null

  // Links that were not sent are shown only in the result, so the dialog stays until then.
  const close = (): void => {
    if (progress === null) onClose()
  }
  const run = async (): Promise<void> => {
    setAsked(true)
    if (problem !== null) return
    const invited: InvitedUserRecord[] = []
    const failed: Failure[] = []
    for (const [index, { name, email }] of invitations.entries()) {
      setProgress(index)
      try {
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const { body } = await send<InvitedUserRecord>('POST', '/users', { body: { name, email }, headers })
        invited.push(body)
      } catch (error) {
        failed.push({ name, email, message: error instanceof Error ? error.message : String(error) })
      }
    }
    setProgress(null)
    setOutcome({ invited, failed })
    await client.invalidateQueries()
  }

  if (outcome !== null)
    return (
      <Results
        {...outcome}
        onClose={onClose}
        onRetry={() => {
          setPasted(outcome.failed.map(({ name, email }) => `${name} <${email}>`).join('\n'))
          setOutcome(null)
        }}
      />
    )
  return (
    <Dialog title={text.title} onClose={close}>
      <p>{text.intro}</p>
      <TextArea
        name="people"
        label={text.people}
        hint={text.hint}
        rows={10}
        value={pasted}
        onChange={setPasted}
        error={asked ? problem : null}
      />
      <p role="status" className="hint">
        {text.recognized(invitations.length)}
      </p>
      {progress !== null && <progress max={invitations.length} value={progress} aria-label={text.title} />}
      <div className="actions">
        <Button onClick={close}>{common.cancel}</Button>
        <Button look="primary" busy={progress !== null} onClick={() => void run()}>
          {text.confirm}
        </Button>
      </div>
    </Dialog>
  )
}

const Results = ({
  invited,
  failed,
  onClose,
  onRetry,
}: Outcome & { readonly onClose: () => void; readonly onRetry: () => void }) => {
  const text = useTexts(inviteManyTexts)
  const common = useTexts(commonTexts)
  const unsent = invited.filter(({ emailed }) => !emailed)
  return (
    <Dialog title={text.done(invited.length)} onClose={onClose}>
      {failed.length > 0 && (
        <div className="notice notice-problem" role="alert">
          <div>
            <p>{common.failed(failed.length, failed.length + invited.length)}</p>
            <ul className={styles['picks']}>
              {failed.map(({ email, message }) => (
                <li key={email}>
                  <span>
                    <strong>{email}</strong> {message}
                  </span>
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {invited.length > 0 && <p>{unsent.length === 0 ? text.allEmailed : text.links}</p>}
      <div className="actions">
        {unsent.length > 0 && (
          <Button
            onClick={() =>
              download(
                `${text.linksFile}.csv`,
                csvOf([
                  [text.name, text.email, text.link],
                  ...unsent.map(({ name, email, enrollUrl }) => [name, email, enrollUrl]),
                ]),
              )
            }
          >
            {text.downloadLinks}
          </Button>
        )}
        {failed.length > 0 && <Button onClick={onRetry}>{text.retry}</Button>}
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  )
}
