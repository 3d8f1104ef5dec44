import type pg from 'pg'
import type { TreeHead } from '../../../domain/audit/merkle.ts'
import { checkpointText } from '../../../domain/audit/signed-note.ts'
import { nodeBytes } from './bytes.ts'
import { headOfNote, keepCheckpoint } from './heads.ts'
import type { Signer } from './signer.ts'
import { treeState } from './tree.ts'

export interface SignedCheckpoint extends TreeHead {
  readonly origin: string
  /** Of the last event that is in it; null while there is none. */
  readonly time: string | null
  /** C2SP tlog-checkpoint */
  readonly note: string
}

/**
 * The head of the tree as it is signed now, for whoever is given it: it is kept, so that the tree can never be shorter
 * without that showing.
 * @throws Error when the stored head is not one that the key has signed
 */
export const checkpoints =
  (pool: pg.Pool, signer: () => Promise<Signer>): (() => Promise<SignedCheckpoint>) =>
  async () => {
    const { size, time, note } = await treeState(pool)
    const verifier = await signer()
    const origin = verifier.name
    if (size === 0) {
      const root = nodeBytes.sha256()
      return {
        origin,
        size,
        root,
        time: null,
        note: verifier.note(checkpointText(nodeBytes, { origin, size, root })),
      }
    }
    const head = headOfNote(verifier, note)
    if (head?.size !== size)
      throw new Error('proof.tree holds a head that was not signed: run svc audit verify')
    await keepCheckpoint(pool, head, note)
    return { origin, ...head, time, note }
  }
