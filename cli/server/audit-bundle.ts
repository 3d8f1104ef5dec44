import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { EVIDENCE_FORMAT } from '../../domain/access-review/evidence.ts'
import { linesIn } from '../../adapters/engines/audit/bundle/lines.ts'
import { verifyEvidence } from '../../adapters/engines/audit/evidence/verify.ts'
import { verifyBundle, type BundleVerification } from '../../adapters/engines/audit/bundle/verify.ts'
import { DoesNotHold, writeBundle } from '../../adapters/engines/audit/bundle/write.ts'
import { headOfNote } from '../../adapters/engines/audit/heads.ts'
import { auditSigner } from '../../adapters/engines/audit/signer.ts'
import { leafIndexOf, treeState } from '../../adapters/engines/audit/tree.ts'
import { onlyThis } from '../../adapters/engines/audit/verify/snapshot.ts'
import { keptOf, withAuditView, type Kept } from './audit.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'

export interface ExportOptions {
  readonly out: string
  /** Number of a leaf, or a time (RFC 3339) */
  readonly from: string | undefined
  readonly to: string | undefined
  /** Files with an earlier checkpoint, for which the bundle contains a proof; at most one */
  readonly checkpoint: readonly string[]
}

/** Returns the first leaf of an audited event at or after a time; the end of the log if there is none. */
const leafAt = async (
  client: pg.ClientBase,
  option: string,
  value: string | undefined,
): Promise<number | undefined> => {
  if (value === undefined) return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  const moment = new Date(value)
  if (Number.isNaN(moment.getTime()))
    throw new CliError(
      exitCodes.usage,
      `${option}: expected the number of an event or a time, for example 2026-01-31T00:00:00Z`,
    )
  const { rows } = await client.query<{ position: string | null }>(
    'select min(position) as position from audit_events where time >= $1',
    [moment],
  )
  const position = rows[0]?.position ?? null
  const index = position === null ? null : await leafIndexOf(client, position)
  return index ?? (await treeState(client)).size
}

/**
 * Writes a bundle to a file that appears only when it is complete.
 * @throws CliError
 */
export const exportBundle = async (
  config: Config,
  log: Log,
  { out, from, to, checkpoint }: ExportOptions,
): Promise<{ readonly from: number; readonly to: number; readonly size: number }> => {
  const { checkpoints } = await keptOf({ key: undefined, checkpoint })
  if (checkpoints.length > 1)
    throw new CliError(exitCodes.usage, '--checkpoint: expected at most one for an export')
  return withAuditView(config, log, async ({ client, logRows, vault }) => {
    const pool = onlyThis(client)
    const signer = await auditSigner({ pool, vault, publicUrl: config.publicUrl })()
    const [note] = checkpoints
    const earlier = note === undefined ? undefined : headOfNote(signer, note)
    if (earlier === null)
      throw new CliError(exitCodes.usage, '--checkpoint: not signed with the key of this log')
    const [first, end] = [await leafAt(client, '--from', from), await leafAt(client, '--to', to)]
    const partial = `${out}.part`
    try {
      const { text, ...range } = await writeBundle({
        client,
        logRows,
        signer,
        now: new Date(),
        ...(first === undefined ? {} : { from: first }),
        ...(end === undefined ? {} : { to: end }),
        ...(earlier === undefined ? {} : { earlier: earlier.size }),
      })
      await pipeline(Readable.from(text, { highWaterMark: 1 }), createWriteStream(partial, { mode: 0o600 }))
      await rename(partial, out)
      return range
    } catch (error) {
      await rm(partial, { force: true })
      if (error instanceof DoesNotHold) throw new CliError(exitCodes.error, error.message, { cause: error })
      if (error instanceof RangeError) throw new CliError(exitCodes.usage, error.message, { cause: error })
      throw error
    }
  })
}

const isEvidence = async (chunks: AsyncIterable<Buffer>): Promise<boolean> => {
  for await (const { line } of linesIn(chunks)) return line.includes(EVIDENCE_FORMAT)
  return false
}

/**
 * Verifies a bundle, or the evidence of an access review, without a database or a configuration.
 * @throws CliError for files that cannot be read
 */
export const verifyBundleFile = async (bundle: string, kept: Kept): Promise<BundleVerification> => {
  const { key, checkpoints } = await keptOf(kept)
  if (key === null) throw new CliError(exitCodes.usage, '--key is required with --bundle')
  try {
    const chunks = () => createReadStream(bundle, { highWaterMark: 1 << 20 })
    return await ((await isEvidence(chunks()))
      ? verifyEvidence(chunks(), key)
      : verifyBundle(chunks(), key, checkpoints))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new CliError(exitCodes.usage, `${bundle}: ${message}`, { cause: error })
  }
}
