/** Verifies the evidence of a review with only a public key. Keeps one line and the items in memory. */
import { createHash } from 'node:crypto'
import {
  parseEvidenceHeader,
  reviewStory,
  type EvidenceEvent,
} from '../../../../domain/access-review/evidence.ts'
import { canonical } from '../../../../domain/audit/canonical.ts'
import { leafHashOf, rootOfInclusion, sameHash, type TreeHead } from '../../../../domain/audit/merkle.ts'
import type { Verifier } from '../../../../domain/audit/signed-note.ts'
import { nodeBytes } from '../bytes.ts'
import { headOfNote, headOfSeal } from '../heads.ts'
import type { BundleVerification } from '../bundle/verify.ts'
import { linesIn } from '../bundle/lines.ts'
import { collectFindings } from '../verify/findings.ts'

const { sha256, fromBase64 } = nodeBytes

interface EvidenceLine {
  readonly index: number
  readonly leaf: EvidenceEvent & { readonly id?: string }
  readonly proof: readonly string[]
}

const jsonOf = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString())
  } catch {
    return null
  }
}

const lineOf = (value: unknown): EvidenceLine | null => {
  const { index, leaf, proof } = (value ?? {}) as Partial<EvidenceLine>
  const isLine =
    Number.isSafeInteger(index) &&
    typeof leaf?.stream === 'string' &&
    Number.isSafeInteger(leaf.revision) &&
    Array.isArray(proof) &&
    proof.every((hash) => typeof hash === 'string')
  return isLine ? (value as EvidenceLine) : null
}

export const verifyEvidence = async (
  chunks: AsyncIterable<Buffer>,
  key: Verifier,
): Promise<BundleVerification> => {
  const findings = collectFindings()
  const digest = createHash('sha256')
  let head: TreeHead | null = null
  let story: ReturnType<typeof reviewStory> | null = null
  let [number, leaves] = [0, 0]

  const takeHeader = (line: Buffer): void => {
    const header = parseEvidenceHeader(jsonOf(line))
    if (typeof header === 'string') {
      findings.add('integrity', 'evidence', `line 1: ${header}`)
      return
    }
    head = headOfNote(key, header.note)
    if (head?.size !== header.size || header.origin !== key.name)
      findings.add('integrity', 'evidence', 'line 1: the checkpoint is not signed with the key')
    story = reviewStory(header.reviewId, (what, stream) => {
      findings.add('completeness', 'evidence', what, { stream })
    })
  }

  const takeLine = (line: Buffer): void => {
    number++
    digest.update(line).update('\n')
    if (number === 1) return takeHeader(line)
    const parsed = lineOf(jsonOf(line))
    if (parsed === null || head === null) {
      findings.add('integrity', 'evidence', `line ${String(number)}: expected an event with its proof`)
      return
    }
    leaves++
    const { index, leaf, proof } = parsed
    const hash = leafHashOf(sha256, canonical(leaf))
    const hashes = proof.map((text) => fromBase64(text) ?? new Uint8Array())
    const root = rootOfInclusion(sha256, index, head.size, hash, hashes)
    if (root === null || !sameHash(root, head.root))
      findings.add(
        'integrity',
        'evidence',
        `line ${String(number)}: the signed log does not contain the event`,
        {
          stream: leaf.stream,
          ...(leaf.id === undefined ? {} : { eventId: leaf.id }),
        },
      )
    // What the signed log does not contain is no evidence, and may have any form.
    else story?.add(leaf)
  }

  const takeSeal = (line: Buffer): void => {
    const seal = (jsonOf(line) as { seal?: unknown } | null)?.seal
    const sealed = typeof seal === 'string' ? headOfSeal(key, seal) : null
    if (sealed === null || sealed.size !== number || !sameHash(sealed.root, digest.digest()))
      findings.add(
        'completeness',
        'evidence',
        `line ${String(number + 1)}: the seal does not match the lines above; the file may be truncated`,
      )
  }

  let before: Buffer | null = null
  for await (const { line } of linesIn(chunks)) {
    if (before !== null) takeLine(before)
    before = Buffer.from(line)
  }
  if (before === null) findings.add('completeness', 'evidence', 'line 1: the header is missing')
  else takeSeal(before)
  const told = story as ReturnType<typeof reviewStory> | null
  told?.end()
  const verdictOf = (verdict: 'integrity' | 'completeness') => ({
    ok: findings.count(verdict) === 0,
    findings: findings.count(verdict),
  })
  return {
    from: 0,
    to: leaves,
    size: (head as TreeHead | null)?.size ?? 0,
    leaves,
    expired: 0,
    integrity: verdictOf('integrity'),
    completeness: verdictOf('completeness'),
    findings: findings.listed,
  }
}
