/**
 * A second verifier of the evidence of access reviews, written from infra/docs/access-reviews.md, RFC 6962 and the C2SP
 * formats alone: it shares no code with the service.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** RFC 8785 for the values that occur in events. */
const jcs = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${jcs(each)}`).join(',')}}`
}

/** C2SP signed-note: the key as `name+id+base64(0x01 ‖ public key)`; the signed text, or null. */
const opened = (note: string, key: string): readonly string[] | null => {
  const [name = '', , encoded = ''] =
    key.trim().split('+').length === 3 ? key.trim().split('+') : splitKey(key)
  const raw = Buffer.from(encoded, 'base64').subarray(1)
  const publicKey = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
    format: 'der',
    type: 'spki',
  })
  const at = note.lastIndexOf('\n\n')
  const text = note.slice(0, at + 1)
  const signed = note
    .slice(at + 2)
    .split('\n')
    .some((line) => {
      const [dash, signer, signature = ''] = line.split(' ')
      const bytes = Buffer.from(signature, 'base64').subarray(4)
      return dash === '—' && signer === name && verify(null, Buffer.from(text), publicKey, bytes)
    })
  return signed ? text.split('\n') : null
}

/** A base64 key may contain plus signs. */
const splitKey = (key: string): readonly string[] => {
  const [name = '', id = ''] = key.trim().split('+')
  return [name, id, key.trim().slice(name.length + id.length + 2)]
}

/** RFC 6962 §2.1.1, by recursion over the tree. */
const rootOf = (index: number, size: number, leaf: Buffer, proof: Buffer[]): Buffer => {
  if (size === 1) return leaf
  const half = 2 ** Math.floor(Math.log2(size - 1))
  const sibling = proof.pop() ?? Buffer.alloc(0)
  return index < half
    ? sha256(Buffer.of(1), rootOf(index, half, leaf, proof), sibling)
    : sha256(Buffer.of(1), sibling, rootOf(index - half, size - half, leaf, proof))
}

interface Leaf {
  readonly type: string
  readonly stream: string
  readonly revision: number
  // oxlint-disable-next-line typescript/no-explicit-any -- events of every shape
  readonly data: any
}

/** Returns what is wrong; nothing for evidence that holds. */
export const secondOpinion = (file: string, key: string): readonly string[] => {
  const wrong: string[] = []
  const lines = file.trimEnd().split('\n')
  const header = JSON.parse(lines[0] ?? '{}') as { note: string; size: number; reviewId: string }
  const head = opened(header.note, key)
  if (head === null || Number(head[1]) !== header.size) return ['the checkpoint is not signed']
  const { seal } = JSON.parse(lines.at(-1) ?? '{}') as { seal?: string }
  const sealed = seal === undefined ? null : opened(seal, key)
  const body = `${lines.slice(0, -1).join('\n')}\n`
  if (sealed?.[2] !== sha256(Buffer.from(body)).toString('base64')) wrong.push('the seal does not fit')
  const revisions = new Map<string, number>()
  const items = new Map<
    string,
    { reviewers: string[][]; userId: string; decision: string; applied: string }
  >()
  const seen = { parts: 0, total: -1, counts: {} as Record<string, number> }
  for (const line of lines.slice(1, -1)) {
    // The proof of a forged line can be anything.
    const { index, leaf, proof } = JSON.parse(line) as { index: number; leaf: Leaf; proof: unknown[] }
    const hashes = proof.map((hash) => Buffer.from(String(hash), 'base64'))
    const root = rootOf(index, header.size, sha256(Buffer.of(0), Buffer.from(jcs(leaf))), hashes)
    if (root.toString('base64') !== head[2]) {
      wrong.push(`line ${String(lines.indexOf(line) + 1)}: not in the log`)
      continue
    }
    if (leaf.revision !== (revisions.get(leaf.stream) ?? -1) + 1)
      wrong.push(`${leaf.stream}: an event is missing`)
    revisions.set(leaf.stream, leaf.revision)
    const { data } = leaf
    switch (leaf.type) {
      case 'access_review.items_recorded':
        seen.parts++
        for (const { itemId, userId, reviewers } of data.items)
          items.set(itemId, { userId, reviewers, decision: 'pending', applied: '' })
        break
      case 'access_review.opened':
        seen.total = data.items
        break
      case 'access_review.completed':
        seen.counts = data.counts
        break
      case 'access_review.item_decided': {
        const item = items.get(data.itemId)
        if (item === undefined || data.reviewerId === item.userId)
          wrong.push(`${String(data.itemId)}: nobody may decide it so`)
        else item.decision = data.decision
        break
      }
      case 'access_review.item_applied': {
        const item = items.get(data.itemId)
        if (item?.decision !== 'revoked') wrong.push(`${String(data.itemId)}: applied without a decision`)
        else item.applied = data.status
      }
    }
  }
  const all = [...items.values()]
  if (all.length !== seen.total) wrong.push('the population is not complete')
  for (const decision of ['approved', 'revoked', 'abstained'])
    if (all.filter((item) => item.decision === decision).length !== seen.counts[decision])
      wrong.push(`${decision}: another number than the review counted`)
  for (const status of ['applied', 'failed', 'manual'])
    if (all.filter((item) => item.applied === status).length !== seen.counts[status])
      wrong.push(`${status}: another number than the review counted`)
  return wrong
}
