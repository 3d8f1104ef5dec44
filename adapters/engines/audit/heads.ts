/**
 * Signed heads of the tree: its size and root hash (C2SP tlog-checkpoint), and a second note for the data stored with
 * the leaves. A tree that was truncated or rebuilt without the key has no matching heads.
 */
import type pg from 'pg'
import type { Hash, TreeHead } from '../../../domain/audit/merkle.ts'
import {
  checkpointText,
  openNote,
  parseCheckpoint,
  type Verifier,
} from '../../../domain/audit/signed-note.ts'
import { nodeBytes } from './bytes.ts'
import { verifyEd25519, type Signer } from './signer.ts'

/** The two notes of one head */
export interface SignedHead {
  readonly note: string
  readonly placesNote: string
}

const placesOrigin = (origin: string): string => `${origin}/places`

export const signHead = (signer: Signer, { size, root }: TreeHead, places: Hash): SignedHead => ({
  note: signer.note(checkpointText(nodeBytes, { origin: signer.name, size, root })),
  placesNote: signer.note(
    checkpointText(nodeBytes, { origin: placesOrigin(signer.name), size, root: places }),
  ),
})

const openHead = (verifier: Verifier, origin: string, note: string): TreeHead | null => {
  const text = openNote(nodeBytes, note, [verifier], verifyEd25519)
  const head = text === null ? null : parseCheckpoint(nodeBytes, text)
  return head?.origin === origin ? head : null
}

/** The head of a signed checkpoint; null if this key has not signed it, or it belongs to another log. */
export const headOfNote = (verifier: Verifier, note: string): TreeHead | null =>
  openHead(verifier, verifier.name, note)

/** The same for the note over places; `root` is the hash over the places. */
export const headOfPlacesNote = (verifier: Verifier, note: string): TreeHead | null =>
  openHead(verifier, placesOrigin(verifier.name), note)

const bundleOrigin = (origin: string): string => `${origin}/bundle`

/** Returns the note at the end of a bundle: it covers the number of lines before it and the SHA-256 of their bytes. */
export const sealBundle = (signer: Signer, lines: number, digest: Hash): string =>
  signer.note(checkpointText(nodeBytes, { origin: bundleOrigin(signer.name), size: lines, root: digest }))

/** The contents of a seal: `size` lines, `root` the hash of their bytes. */
export const headOfSeal = (verifier: Verifier, note: string): TreeHead | null =>
  openHead(verifier, bundleOrigin(verifier.name), note)

/**
 * Returns the note of an export: it covers the number of bytes of its manifest and their SHA-256. The manifest has the
 * hashes of the files.
 */
export const sealExport = (signer: Signer, manifest: Buffer): string =>
  signer.note(
    checkpointText(nodeBytes, {
      origin: `${signer.name}/export`,
      size: manifest.length,
      root: nodeBytes.sha256(manifest),
    }),
  )

/** Stores a checkpoint before it is published, so that a shorter tree is detected. */
export const keepCheckpoint = async (
  client: pg.Pool | pg.ClientBase,
  { size }: Pick<TreeHead, 'size'>,
  note: string,
): Promise<void> => {
  await client.query('insert into proof.checkpoint (size, note) values ($1, $2) on conflict do nothing', [
    size,
    note,
  ])
}
