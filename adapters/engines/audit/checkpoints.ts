import type pg from 'pg'
import type { TreeHead } from '../../../domain/audit/merkle.ts'
import { checkpointText } from '../../../domain/audit/signed-note.ts'
import { nodeBytes } from './bytes.ts'
import { headOfNote, keepCheckpoint } from './heads.ts'
import type { Signer } from './signer.ts'
import { treeState } from './tree.ts'

export interface SignedCheckpoint extends TreeHead {
  readonly origin: string
  /** Time of the last event in the tree; null if there is none */
  readonly time: string | null
  /** C2SP tlog-checkpoint */
  readonly note: string
}

/**
 * The signed head of the tree, for publication. It is stored first, so that a later truncation of the tree is
 * detected.
 * @throws Error if the stored head is not signed with the key
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
      throw new Error('proof.tree contains a head without a valid signature. Run "svc audit verify"')
    await keepCheckpoint(pool, head, note)
    return { origin, ...head, time, note }
  }
