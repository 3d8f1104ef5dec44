/** Verifies an audit entry in the browser, and says what was verified. */
import { useState } from 'react'
import { send } from '../lib/api.ts'
import { Badge } from './kit/badge.tsx'
import { Button } from './kit/button.tsx'
import { Copy } from './kit/copy.tsx'
import { Problem } from './kit/problem.tsx'
import type { CheckpointRecord } from './records.ts'
import { texts, useTexts } from './text.tsx'
import type { EntryProof as Proof, ProofResult } from './verify-entry.ts'

const proofTexts = texts({
  en: {
    verify: 'Verify this entry',
    hint: 'Your browser computes it; the service only supplies the proof.',
    holds: 'This entry is in the log, unchanged.',
    fails:
      'Verification failed. Keep what you see, and verify the log from the command line: svc audit verify',
    entry: 'The stored event belongs to this entry',
    path: 'Its hash and the proof lead to the root hash of the signed checkpoint',
    signature: 'The checkpoint is signed with the published key',
    ok: 'holds',
    wrong: 'does not hold',
    key: 'Published key; compare it with the one that you keep',
    position: (index: number, size: number) => `Event ${String(index + 1)} of ${String(size)}`,
  },
  de: {
    verify: 'Diesen Eintrag prüfen',
    hint: 'Ihr Browser rechnet; der Dienst liefert nur den Beweis.',
    holds: 'Dieser Eintrag steht unverändert im Log.',
    fails:
      'Die Prüfung ist fehlgeschlagen. Sichern Sie, was Sie sehen, und prüfen Sie das Log auf der Kommandozeile: svc audit verify',
    entry: 'Das gespeicherte Ereignis gehört zu diesem Eintrag',
    path: 'Sein Hash und der Beweis führen zum Wurzel-Hash des signierten Prüfpunkts',
    signature: 'Der Prüfpunkt ist mit dem veröffentlichten Schlüssel signiert',
    ok: 'stimmt',
    wrong: 'stimmt nicht',
    key: 'Veröffentlichter Schlüssel; vergleichen Sie ihn mit dem, den Sie aufbewahren',
    position: (index: number, size: number) => `Ereignis ${String(index + 1)} von ${String(size)}`,
  },
})

interface Verified {
  readonly result: ProofResult
  readonly proof: Proof
  readonly key: string
}

const readKey = async (): Promise<string> => {
  const response = await fetch('/api/v1/audit/key.pub', { redirect: 'error' })
  return response.ok ? response.text() : ''
}

const verified = async (entryId: string): Promise<Verified> => {
  const { verifyEntry } = await import('./verify-entry.ts')
  const { body: checkpoint } = await send<CheckpointRecord>('GET', '/audit/checkpoint')
  const [{ body: proof }, key] = await Promise.all([
    send<Proof>('GET', `/audit/${entryId}/proof?size=${String(checkpoint.size)}`),
    readKey(),
  ])
  return { proof, key, result: await verifyEntry(entryId, proof, checkpoint.note, key) }
}

export const EntryProof = ({ entryId }: { readonly entryId: string }) => {
  const text = useTexts(proofTexts)
  const [state, setState] = useState<Verified | Error | 'idle' | 'busy'>('idle')
  if (state === 'idle' || state === 'busy')
    return (
      <div className="actions">
        <Button
          busy={state === 'busy'}
          onClick={() => {
            setState('busy')
            verified(entryId).then(setState, setState)
          }}
        >
          {text.verify}
        </Button>
        <span className="hint">{text.hint}</span>
      </div>
    )
  if (state instanceof Error) return <Problem error={state} retry={() => setState('idle')} />
  const { result, proof, key } = state
  const steps = [
    ['entry', result.entry],
    ['path', result.path],
    ['signature', result.signature],
  ] as const
  const holds = steps.every(([, ok]) => ok)
  return (
    <div className={holds ? 'notice' : 'notice notice-problem'} role={holds ? 'status' : 'alert'}>
      <div>
        <p>
          <strong>{holds ? text.holds : text.fails}</strong> {text.position(proof.index, proof.size)}
        </p>
        <ul>
          {steps.map(([step, ok]) => (
            <li key={step}>
              {text[step]}: <Badge tone={ok ? 'good' : 'bad'}>{ok ? text.ok : text.wrong}</Badge>
            </li>
          ))}
        </ul>
        <Copy label={text.key} value={key.trim()} />
      </div>
    </div>
  )
}
