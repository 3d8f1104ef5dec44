/** The verdicts on a risk event, alone or with others. */
import type { RecordAction } from './kit/record-action.ts'
import type { RiskEventRecord } from './records.ts'
import { riskTexts } from './risk-texts.ts'
import { useTexts } from './text.tsx'

const verdicts = {
  dismiss: ['dismiss', 'dismissed'],
  confirmSafe: ['confirm-safe', 'confirmed_safe'],
  confirmCompromised: ['confirm-compromised', 'confirmed_compromised'],
} as const satisfies Readonly<Record<string, readonly [path: string, state: RiskEventRecord['state']]>>

type Verdict = keyof typeof verdicts

export const useVerdicts = (): Readonly<Record<Verdict, RecordAction<RiskEventRecord>>> => {
  const text = useTexts(riskTexts)
  const of = (name: Verdict): RecordAction<RiskEventRecord> => {
    const [path, result] = verdicts[name]
    return {
      label: text[name],
      roles: ['security_admin'],
      applies: ({ state, userId }) => state !== result && (name !== 'confirmCompromised' || userId !== null),
      dangerous: name === 'confirmCompromised',
      effect: text[`${name}Effect`],
      input: { name: 'note', label: text.note, hint: text.noteHint },
      command: ({ id }, note) => ({
        method: 'POST',
        path: `/risk-events/${id}/${path}`,
        body: note === '' ? {} : { note },
      }),
    }
  }
  return {
    dismiss: of('dismiss'),
    confirmSafe: of('confirmSafe'),
    confirmCompromised: of('confirmCompromised'),
  }
}
