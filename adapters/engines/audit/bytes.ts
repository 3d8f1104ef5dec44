import { createHash } from 'node:crypto'
import type { Bytes } from '../../../domain/audit/signed-note.ts'

/** The byte operations of the audit tree and its notes, with Node's Buffer and crypto. */
export const nodeBytes: Bytes = {
  sha256: (...parts) => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return hash.digest()
  },
  toBase64: (bytes) => Buffer.from(bytes).toString('base64'),
  fromBase64: (text) => {
    const bytes = Buffer.from(text, 'base64')
    return bytes.toString('base64') === text ? bytes : null
  },
}
