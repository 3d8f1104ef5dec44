/**
 * Signed statements about configuration plans: who planned what, when, and against which position of the log. They are
 * notes of the audit key (C2SP signed-note), so they need no storage, and anybody with the key can verify them.
 */
import { openNote } from '../../../domain/audit/signed-note.ts'
import type { Id } from '../../../domain/ids.ts'
import { nodeBytes } from './bytes.ts'
import { verifyEd25519, type Signer } from './signer.ts'

export interface PlanStatement {
  readonly planId: Id<'configurationPlan'>
  /** SHA-256 of the plan, in hexadecimal */
  readonly digest: string
  readonly plannedBy: { readonly id: Id<'user'>; readonly name: string }
  /** RFC 3339 */
  readonly plannedAt: string
  /** Position in the event log up to which the plan saw changes */
  readonly position: string
}

/** No other note of the key begins with this line. */
const originOf = ({ name }: Signer): string => `${name}/configuration-plan`

export const signPlan = (signer: Signer, statement: PlanStatement): string =>
  signer.note(`${originOf(signer)}\n${JSON.stringify(statement)}\n`)

/** The statement of a note; null if the key has not signed it, or it is a note about something else. */
export const openPlan = (signer: Signer, note: string): PlanStatement | null => {
  const text = openNote(nodeBytes, note, [signer], verifyEd25519)
  const [origin, statement = ''] = text?.split('\n') ?? []
  return origin === originOf(signer) ? (JSON.parse(statement) as PlanStatement) : null
}
