import { entryOf, type AuditEntry } from '../../../domain/audit/entry.ts'
import { leafHashOf } from '../../../domain/audit/merkle.ts'
import type { Id } from '../../../domain/ids.ts'
import type { AuditRow } from '../../../read-models/queries/audit.ts'
import type { NewEvent, RecordedEvent } from '../event-log/event-log.ts'
import { eventSerializer } from '../event-log/serializer.ts'
import type { Vault } from '../vault/vault.ts'
import { nodeBytes } from './bytes.ts'

/** An entry of the audit trail as readers see it. */
export interface AuditEvent extends AuditEntry {
  readonly id: Id<'auditEvent'>
  /** Log position */
  readonly position: string
  /** Hash of the leaf in the audit tree, base64 */
  readonly hash: string
}

/** RFC 6962 §2.1: the hash of a leaf. */
export const leafHash = (leaf: string): Uint8Array => leafHashOf(nodeBytes.sha256, leaf)

type Leaf = NewEvent & { readonly stream: string; readonly revision: number }

/**
 * The event of a leaf. The time of recording is not in the leaf.
 * @throws SyntaxError if it is not JSON
 */
export const eventOfLeaf = (leaf: string, position: string): RecordedEvent => ({
  ...(JSON.parse(leaf) as Leaf),
  position: position as RecordedEvent['position'],
  recorded: '',
})

/** Decrypts rows of the audit trail; personal data of erased users stays encrypted. */
export const auditEntries = (vault: Vault) => {
  const serializer = eventSerializer(vault)
  return async (rows: readonly AuditRow[]): Promise<readonly AuditEvent[]> => {
    const stored = rows.map(({ leaf, position }) => eventOfLeaf(leaf, position))
    const events = new Map((await serializer.open(stored)).map((event) => [event.position, event]))
    return rows.flatMap(({ id, position, action, leaf, ...names }) => {
      const event = events.get(position)
      if (event === undefined) return []
      const entry = entryOf(event, action, {
        actor: names.actorName,
        target: names.targetName,
        other: names.otherName,
      })
      return [{ id, ...entry, position, hash: nodeBytes.toBase64(leafHash(leaf)) }]
    })
  }
}
