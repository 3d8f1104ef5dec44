/**
 * Verifies that the log, the tree over it and the audit trail are complete and unchanged. Uses one snapshot, so the
 * service can keep running. Keeps one page of events in memory.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import type pg from 'pg'
import { sameHash, type TreeHead } from '../../../../domain/audit/merkle.ts'
import { TILE_SIZE } from '../../../../domain/audit/tiles.ts'
import { verifierOf, type Verifier } from '../../../../domain/audit/signed-note.ts'
import { microsecondsOf } from '../../event-log/retention.ts'
import type { Serializer } from '../../event-log/serializer.ts'
import type { Vault } from '../../vault/vault.ts'
import { nodeBytes } from '../bytes.ts'
import { eventOfLeaf, leafHash } from '../entries.ts'
import { headOfNote } from '../heads.ts'
import { AUDIT_KEY_PURPOSE, formerKeys, SPKI_PREFIX } from '../signer.ts'
import { AUDIT_TREE, placeOfEvent, treeState } from '../tree.ts'
import { collectFindings, type Finding, type Findings } from './findings.ts'
import {
  deletable,
  joinLeaves,
  type Joined,
  type LeafEvent,
  type LogRows,
  type StoredEvent,
} from './leaves.ts'
import { checkLogTables } from './log-tables.ts'
import type { Row } from './rows.ts'
import { trailCheck, type Makes } from './trail.ts'
import { treeCheck, type BothHashes, type KeptCheckpoint } from './tree.ts'

export interface VerifyOptions {
  /** In a transaction with one snapshot, with the read models in its search path */
  readonly client: pg.ClientBase
  readonly logRows: LogRows
  /** If the log is in Postgres: a connection with one snapshot of it, and the prefix of our streams */
  readonly logTables: { readonly client: pg.ClientBase; readonly prefix: string } | null
  readonly vault: Vault
  readonly serializer: Serializer
  readonly makes: Makes
  /** Signed checkpoints that were stored elsewhere */
  readonly checkpoints: readonly string[]
  /** A key that was stored elsewhere, instead of the one in the database. */
  readonly key: Verifier | null
  readonly now: Date
}

export interface Verification {
  /** Number of leaves of the tree */
  readonly size: number
  /** Position of the last leaf */
  readonly position: string
  /** Number of events that are newer than the tree */
  readonly pending: number
  /** Number of events that were deleted after their retention */
  readonly expired: number
  /** Number of entries of the audit trail */
  readonly entries: number
  readonly integrity: { readonly ok: boolean; readonly findings: number }
  readonly completeness: { readonly ok: boolean; readonly findings: number }
  /** The first hundred findings */
  readonly findings: readonly Finding[]
}

interface KeyRow {
  readonly name: string
  readonly public_key: Buffer
  readonly sealed_private_key: string
}

/** Checks the public key against the encrypted private key. */
const keyOf = async (
  { client, vault, key }: VerifyOptions,
  findings: Findings,
  needed: boolean,
): Promise<Verifier | null> => {
  const { rows } = await client.query<KeyRow>('select name, public_key, sealed_private_key from proof.key')
  const [row] = rows
  if (row === undefined) {
    if (needed) findings.add('completeness', 'proof.key', 'the signing key is missing')
    return key
  }
  if (rows.length > 1) findings.add('integrity', 'proof.key', 'there is more than one key')
  try {
    const opened = vault.open(AUDIT_KEY_PURPOSE, row.sealed_private_key, row.name)
    const half = createPublicKey(createPrivateKey({ key: opened, format: 'der', type: 'pkcs8' }))
    const raw = half.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)
    if (!raw.equals(row.public_key))
      findings.add('integrity', 'proof.key', 'public_key does not belong to the private key')
  } catch {
    findings.add('integrity', 'proof.key', 'sealed_private_key cannot be decrypted under this name')
  }
  try {
    const stored = verifierOf(nodeBytes, row.name, row.public_key)
    if (key !== null && (key.name !== stored.name || !sameHash(key.publicKey, stored.publicKey)))
      findings.add('integrity', 'proof.key', 'the key differs from the given key')
    return key ?? stored
  } catch {
    findings.add('integrity', 'proof.key', 'public_key is not an Ed25519 key')
    return key
  }
}

/** Checkpoints from the database and given ones, ordered by size. */
const checkpointsOf = async (
  { client, checkpoints }: VerifyOptions,
  verifier: Verifier | null,
  findings: Findings,
): Promise<readonly KeptCheckpoint[]> => {
  const { rows } = await client.query<{ size: string; note: string }>(
    'select size::text, note from proof.checkpoint',
  )
  const provided = checkpoints.map((note) => ({ size: null, note }))
  const former = await formerKeys(client)
  /** A checkpoint of a lost key is valid up to the size of the tree at the time of the loss. */
  const headOf = (note: string): TreeHead | null => {
    const head = verifier === null ? null : headOfNote(verifier, note)
    if (head !== null) return head
    for (const each of former) {
      const earlier = headOfNote(each.verifier, note)
      if (earlier !== null && earlier.size <= each.size) return earlier
    }
    return null
  }
  return [...rows, ...provided]
    .flatMap(({ size, note }): readonly KeptCheckpoint[] => {
      const what = size === null ? 'the given checkpoint' : 'the checkpoint'
      const head = headOf(note)
      if (head === null || (size !== null && String(head.size) !== size)) {
        findings.add(
          'integrity',
          size === null ? 'checkpoint' : 'proof.checkpoint',
          `${what}${size === null ? '' : ` of size ${size}`} has no valid signature of the key`,
        )
        return []
      }
      return [{ ...head, what: `${what} of size ${String(head.size)}` }]
    })
    .sort((a, b) => a.size - b.size)
}

const whereOf = ({ record, stored }: Joined) => ({
  position: stored?.position ?? record?.position ?? '',
  ...(stored === null ? {} : { stream: stored.stream, eventId: stored.id }),
})

/** An event that does not match its leaf is reported once it is known which of the two was changed. */
interface Unfit {
  readonly stored: StoredEvent
  readonly table: string
}

/** @throws if the database or the log cannot be read */
export const verifyAudit = async (options: VerifyOptions): Promise<Verification> => {
  const { client, logRows, logTables, serializer, makes, now } = options
  const findings = collectFindings()
  const mayBeGone = deletable(await logRows.periods(), microsecondsOf(now))
  const state = await treeState(client)
  const verifier = await keyOf(options, findings, state.size > 0)
  const tree = treeCheck(await checkpointsOf(options, verifier, findings), findings)
  const trail = await trailCheck({ client, serializer, makes, mayBeGone }, findings)
  const unfit: Unfit[] = []
  let [index, pending, expired] = [0, 0, 0]
  let [last, lastTime, lastLeaf, firstPending] = ['', '', '', '']

  /** Events without a leaf: the next leaf shows whether leaves are missing or events were added. */
  const run: { first: ReturnType<typeof whereOf> | null; count: number } = { first: null, count: 0 }
  const endRun = (next: number): void => {
    const gap = next - index
    const table = index + TILE_SIZE <= state.size ? 'proof.tile' : 'proof.open_hash'
    const where = run.first ?? {}
    const added = run.count - Math.max(gap, 0)
    if (gap !== 0) {
      const what = `leaves are missing: expected number ${String(index)}, found ${String(next)}`
      findings.add('completeness', table, what, where)
    }
    if (added > 0)
      findings.add(
        'integrity',
        'log.event',
        `${String(added)} events, starting with this one, are not leaves of the tree`,
        where,
      )
    run.first = null
    run.count = 0
  }

  /**
   * Checks one position.
   * @returns the recorded event, if it is still available
   */
  const checkOne = (joined: Joined, rows: ReadonlyMap<unknown, Row>): LeafEvent | null => {
    const { record, stored } = joined
    const where = whereOf(joined)
    const say = (verdict: 'integrity' | 'completeness', table: string, what: string): void => {
      findings.add(verdict, table, what, where)
    }
    if (stored !== null) {
      if (stored.fault !== null) say('integrity', 'log.event', stored.fault)
      if (stored.event === null) say('integrity', 'log.event', 'data or metadata is not valid JSON')
    }
    if (record === null) return stored?.event ?? null
    if (record.fault !== null) say('integrity', record.table, record.fault)
    endRun(record.index)
    index = record.index + 1
    const row = rows.get(record.position)
    const leaf = typeof row?.['leaf'] === 'string' ? row['leaf'] : null
    const eventOfRow =
      leaf !== null && sameHash(leafHash(leaf), record.hash)
        ? { ...eventOfLeaf(leaf, record.position), leaf }
        : null
    if (stored === null) {
      if (mayBeGone(record)) expired++
      else
        findings.add('completeness', 'log.event', 'the event is missing', {
          position: record.position,
          ...(eventOfRow === null ? {} : { stream: eventOfRow.stream, eventId: eventOfRow.id }),
        })
      return eventOfRow
    }
    const wrong = [
      ...(record.position === stored.position ? [] : ['position']),
      ...(record.recorded === stored.recorded ? [] : ['recorded']),
      ...(stored.event === null || record.kept === placeOfEvent(stored.event).kept ? [] : ['kept']),
    ]
    if (wrong.length > 0)
      say('integrity', record.table, `${wrong.join(' and ')} of the event and its leaf differ`)
    if (stored.hash !== null && sameHash(stored.hash, record.hash)) return stored.event
    if (stored.hash !== null) unfit.push({ stored, table: record.table })
    return eventOfRow
  }

  for await (const batch of joinLeaves(client, logRows)) {
    const upTo = batch.reduce(
      (most, one) => (whereOf(one).position > most ? whereOf(one).position : most),
      last,
    )
    const entries = await trail.entriesIn(last, upTo)
    const rows = new Map(entries.map((row) => [row['position'], row]))
    const genuine: LeafEvent[] = []
    const leaves: BothHashes[] = []
    for (const joined of batch) {
      const { record, stored } = joined
      const event = checkOne(joined, rows)
      if (event !== null) genuine.push(event)
      if (record === null && stored !== null && stored.position > state.position) {
        pending++
        if (firstPending === '') firstPending = stored.position
        continue
      }
      if (record === null) {
        run.first ??= whereOf(joined)
        run.count++
      }
      const kept = stored?.event ?? null
      const place = record ?? (kept === null ? null : placeOfEvent(kept))
      leaves.push({ fromLog: stored?.hash ?? null, kept: record?.hash ?? null, place })
      lastLeaf = record?.position ?? lastLeaf
      const time = event?.metadata['time']
      lastTime = typeof time === 'string' ? time : ''
    }
    tree.add(leaves)
    await trail.compare(genuine, entries, last, upTo)
    last = upTo
  }

  if (run.count > 0) endRun(state.size)
  const signed = await tree.end(client, state, verifier)
  for (const { stored, table } of unfit) {
    const where = { position: stored.position, stream: stored.stream, eventId: stored.id }
    if (signed === 'log') findings.add('integrity', table, 'the hash does not match the event', where)
    else findings.add('integrity', 'log.event', 'the event differs from the recorded event', where)
  }
  if (state.position !== lastLeaf || (lastTime !== '' && state.time !== lastTime))
    findings.add('integrity', 'proof.tree', 'position or time differs from the last leaf', {
      position: lastLeaf,
    })
  const { rows: consumers } = await client.query<{ position: string }>(
    'select position from work.checkpoint where name = $1',
    [AUDIT_TREE],
  )
  const passed = consumers[0]?.position ?? ''
  const gapless = logTables?.prefix === ''
  if (passed > state.position && (gapless || (firstPending !== '' && firstPending <= passed)))
    findings.add('completeness', 'work.checkpoint', `the tree reaches ${passed} but lacks events before it`, {
      position: passed,
    })
  await trail.end(last)
  if (logTables !== null)
    await checkLogTables(logTables.client, { last: lastLeaf, prefix: logTables.prefix }, findings)

  const verdictOf = (verdict: 'integrity' | 'completeness') => ({
    ok: findings.count(verdict) === 0,
    findings: findings.count(verdict),
  })
  return {
    size: tree.size(),
    position: lastLeaf,
    pending,
    expired,
    entries: trail.count(),
    integrity: verdictOf('integrity'),
    completeness: verdictOf('completeness'),
    findings: findings.listed,
  }
}
