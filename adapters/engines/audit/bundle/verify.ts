import { createHash } from 'node:crypto'
import {
  parseHeader,
  partialTree,
  provesEarlier,
  type BundleHeader,
} from '../../../../domain/audit/bundle.ts'
import { leafHashOf, sameHash, type Hash, type TreeHead } from '../../../../domain/audit/merkle.ts'
import type { Verifier } from '../../../../domain/audit/signed-note.ts'
import { nodeBytes } from '../bytes.ts'
import { headOfNote, headOfSeal } from '../heads.ts'
import { collectFindings, type Finding, type Findings } from '../verify/findings.ts'
import { linesIn, parseLine } from './lines.ts'

const { sha256, fromBase64 } = nodeBytes

export interface BundleVerification {
  readonly from: number
  readonly to: number
  /** Size of the whole tree */
  readonly size: number
  /** Number of leaves with their event, and of leaves of which only the hash remains */
  readonly leaves: number
  readonly expired: number
  readonly integrity: { readonly ok: boolean; readonly findings: number }
  readonly completeness: { readonly ok: boolean; readonly findings: number }
  readonly findings: readonly Finding[]
}

const hashes = (texts: readonly string[]): readonly Hash[] =>
  texts.map((text) => fromBase64(text) ?? new Uint8Array())

const jsonOf = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString())
  } catch {
    return null
  }
}

/** The event of a line, if it can be read */
const whereOf = (line: Buffer): Partial<Pick<Finding, 'stream' | 'eventId'>> => {
  const leaf = (jsonOf(line) as { leaf?: { stream?: unknown; id?: unknown } } | null)?.leaf
  return {
    ...(typeof leaf?.stream === 'string' ? { stream: leaf.stream } : {}),
    ...(typeof leaf?.id === 'string' ? { eventId: leaf.id } : {}),
  }
}

const openHeader = (
  line: Buffer,
  key: Verifier,
  findings: Findings,
): { header: BundleHeader; head: TreeHead } | null => {
  const header = parseHeader(jsonOf(line))
  if (typeof header === 'string') {
    findings.add('integrity', 'bundle', `line 1: ${header}`)
    return null
  }
  const head = headOfNote(key, header.note)
  if (head === null || header.origin !== key.name)
    findings.add(
      'integrity',
      'bundle',
      'line 1: note and origin do not belong to a checkpoint signed with the key',
    )
  else if (head.size !== header.size)
    findings.add('integrity', 'bundle', 'line 1: size differs from the size in the note')
  return head === null ? null : { header, head }
}

/**
 * Verifies a bundle with only a public key. Keeps one line in memory at a time.
 * @param checkpoints signed notes that were stored elsewhere
 */
export const verifyBundle = async (
  chunks: AsyncIterable<Buffer>,
  key: Verifier,
  checkpoints: readonly string[] = [],
): Promise<BundleVerification> => {
  const findings = collectFindings()
  const wrong = (what: string, where = {}): void => {
    findings.add('integrity', 'bundle', what, where)
  }
  const earlier = checkpoints.flatMap((note) => {
    const head = headOfNote(key, note)
    if (head === null)
      findings.add('integrity', 'checkpoint', 'the given checkpoint is not signed with the key')
    return head ?? []
  })
  const digest = createHash('sha256')
  let opened: { header: BundleHeader; head: TreeHead } | null = null
  let tree = partialTree(sha256, 0, [])
  let [number, leaves, expired] = [0, 0, 0]
  let before: Buffer | null = null
  const met = new Set<TreeHead>()

  const meet = (): void => {
    for (const each of earlier)
      if (!met.has(each) && each.size === tree.size()) {
        met.add(each)
        if (!sameHash(tree.root(), each.root))
          wrong(`the checkpoint of size ${String(each.size)} covers different events`)
      }
  }

  const takeLine = (line: Buffer): void => {
    number++
    digest.update(line).update('\n')
    if (number === 1) {
      opened = openHeader(line, key, findings)
      if (opened !== null) tree = partialTree(sha256, opened.header.from, hashes(opened.header.before))
      meet()
      return
    }
    const parsed = parseLine(line)
    if (parsed === null) {
      wrong(`line ${String(number)}: not a leaf with its hash`, whereOf(line))
      return
    }
    if (parsed.leaf === null) expired++
    else {
      leaves++
      if (!sameHash(leafHashOf(sha256, parsed.leaf), parsed.hash))
        wrong(`line ${String(number)}: the leaf does not match its hash`, whereOf(line))
    }
    tree.add(parsed.hash)
    if (earlier.length > 0) meet()
  }

  /** The last line contains the seal over all others. */
  const takeSeal = (line: Buffer, ended: boolean): void => {
    const seal = (jsonOf(line) as { seal?: unknown } | null)?.seal
    const isWritten = typeof seal === 'string' && ended && line.toString() === JSON.stringify({ seal })
    const sealed = isWritten ? headOfSeal(key, seal) : null
    if (sealed === null)
      findings.add(
        'completeness',
        'bundle',
        `line ${String(number + 1)}: the seal is missing or not signed with the key; the bundle may be truncated`,
      )
    else if (sealed.size !== number || !sameHash(sealed.root, digest.digest()))
      wrong(`line ${String(number + 1)}: the seal does not match the lines above`)
  }

  let endedBefore = true
  for await (const { line, ended } of linesIn(chunks)) {
    if (before !== null) takeLine(before)
    before = Buffer.from(line)
    endedBefore = ended
  }
  if (before !== null) takeSeal(before, endedBefore)
  const done = opened as { header: BundleHeader; head: TreeHead } | null
  if (number === 0) findings.add('completeness', 'bundle', 'line 1: the header is missing')
  if (done !== null) {
    const { header, head } = done
    const count = header.to - header.from
    if (number - 1 !== count)
      findings.add('completeness', 'bundle', `expected ${String(count)} leaves, found ${String(number - 1)}`)
    const root = tree.size() === header.to ? tree.whole(header.size, hashes(header.after)) : null
    if (root === null || !sameHash(root, head.root)) wrong('the leaves do not match the signed head')
    for (const each of earlier.filter((one) => !met.has(one))) {
      const proven = provesEarlier(sha256, header, each, head, fromBase64)
      if (each.size > head.size)
        findings.add(
          'completeness',
          'bundle',
          `the log was longer before: a checkpoint of size ${String(each.size)} was given`,
        )
      else if (proven === null)
        wrong(
          `the bundle contains no proof for the checkpoint of size ${String(each.size)}: export with that checkpoint`,
        )
      else if (!proven) wrong(`the checkpoint of size ${String(each.size)} covers different events`)
    }
  }
  const verdictOf = (verdict: 'integrity' | 'completeness') => ({
    ok: findings.count(verdict) === 0,
    findings: findings.count(verdict),
  })
  return {
    from: done?.header.from ?? 0,
    to: done?.header.to ?? 0,
    size: done?.header.size ?? 0,
    leaves,
    expired,
    integrity: verdictOf('integrity'),
    completeness: verdictOf('completeness'),
    findings: findings.listed,
  }
}
