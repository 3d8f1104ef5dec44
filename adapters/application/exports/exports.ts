/**
 * Exports: requested by an administrator, written in the background by any instance, downloaded once.
 *
 * An export is one snapshot of the read models at one log position. The transaction stays open while it is written, like
 * that of a database dump. If the instance stops, another one starts again.
 */
import { Readable } from 'node:stream'
import { DomainError } from '../../../domain/errors.ts'
import { exportDecider, exportStream } from '../../../domain/export/decider.ts'
import type { ExportRequest } from '../../../domain/export/events.ts'
import type { Id } from '../../../domain/ids.ts'
import { countThen } from '../../../read-models/queries/export-rows.ts'
import {
  findExport,
  listExports,
  takeExport,
  type ExportTaskRow,
} from '../../../read-models/queries/exports.ts'
import { ofThePast, type Past } from '../../../read-models/queries/past.ts'
import { auditEntries } from '../../engines/audit/entries.ts'
import { leavesUpTo } from '../../engines/audit/root-at.ts'
import { auditSigner } from '../../engines/audit/signer.ts'
import type { LogRows } from '../../engines/audit/verify/leaves.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { writeArchive } from './export-archive.ts'
import { deletePieces, newFileKey, readFile, storeFile } from './export-store.ts'
import type { ExportSource } from './export-files.ts'

/** Exports that may be unfinished at the same time. */
const MAX_UNFINISHED = 3
/** How long an export can be downloaded, from its request. */
const LIFETIME_SECONDS = 86_400
/** An instance that does not report for this long has stopped. */
const LEASE_SECONDS = 60
const REPORT_MS = 5000
/** Until the audit tree contains the newest events */
const WAIT_SECONDS = 1

/** The instance stops, or another one has taken over, or the export was deleted. */
class Interrupted extends Error {
  constructor() {
    super('the export was interrupted')
    this.name = 'Interrupted'
  }
}

type ExportServices = Pick<
  Services,
  'handle' | 'pool' | 'clock' | 'vault' | 'random' | 'pastRecord' | 'publicUrl'
>

/** The number of events of a state; null while the audit trail does not contain all of them. */
const sizeAt = async (client: ExportSource['client'], { cut }: Past): Promise<number | null> => {
  const { rows } = await client.query<{ position: string }>(
    `select position from checkpoint where name = 'audit' and position >= $1`,
    [cut],
  )
  return rows.length === 0 ? null : leavesUpTo(client, cut)
}

export const exportCommands = (services: ExportServices) => {
  const { handle, pool, clock } = services

  /** Without its key, nobody can read a file: its pieces can be deleted afterwards. */
  const deleteFile = async (id: string): Promise<void> => {
    await pool.query('update work.export set sealed_key = null, downloaded_at = $2 where id = $1', [
      id,
      clock.now(),
    ])
    // The file was sent; what is left of it is deleted with the export.
    await deletePieces(services, id).catch(() => undefined)
  }

  const remove = async (id: string): Promise<void> => {
    await deletePieces(services, id)
    await pool.query('delete from work.export where id = $1', [id])
  }

  /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if there is no file */
  const mustHaveFile = async (id: string) => {
    const row = await findExport(pool, id, clock.now())
    if (row === null) throw new DomainError('ERR_NOT_FOUND')
    const { sealedKey, sha256 } = row
    if (row.status !== 'ready' || sha256 === null)
      throw new DomainError('ERR_CONFLICT', `The export is not ready: its status is ${row.status}.`)
    if (sealedKey === null)
      throw new DomainError('ERR_CONFLICT', 'The file was downloaded and deleted. Request another export.')
    return { ...row, sealedKey, sha256 }
  }

  return {
    /** @throws DomainError ERR_INVALID, ERR_CONFLICT while other exports are not finished */
    request: async (
      request: ExportRequest,
      requestedBy: string | null,
      actor: Actor,
    ): Promise<Id<'export'>> => {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*) from work.export where status in ('queued', 'running') and expires_at > $1`,
        [clock.now()],
      )
      if ((rows[0]?.count ?? 0) >= MAX_UNFINISHED)
        throw new DomainError(
          'ERR_CONFLICT',
          `${String(MAX_UNFINISHED)} exports are not finished. Wait for one of them, or delete it.`,
        )
      const exportId = idsFor(actor.idempotencyKey).newId('export')
      await handle(exportDecider, exportStream(exportId), { type: 'request', exportId, request }, actor)
      await pool.query(
        `insert into work.export (id, requested_by, requested_at, kinds, format, at, status, expires_at)
         values ($1, $2, $3, $4, $5, $6, 'queued', $7) on conflict do nothing`,
        [
          exportId,
          requestedBy,
          clock.now(),
          request.kinds,
          request.format,
          request.at,
          clock.in(LIFETIME_SECONDS),
        ],
      )
      return exportId
    },

    list: () => listExports(pool, clock.now()),

    find: (id: string) => findExport(pool, id, clock.now()),

    /** Deletes an export with its file; if it is being written, its instance stops. @throws DomainError ERR_NOT_FOUND */
    delete: async (id: string): Promise<void> => {
      const { rowCount } = await pool.query(
        `update work.export set sealed_key = null, expires_at = $2, attempt = attempt + 1
         where id = $1 and expires_at > $2`,
        [id, clock.now()],
      )
      if (rowCount === 0) throw new DomainError('ERR_NOT_FOUND')
      await remove(id)
    },

    mustHaveFile,

    /**
     * Records the download, then returns the file. It is deleted once all of it was read, so an interrupted download can
     * be repeated.
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if there is no file
     */
    download: async (id: string, actor: Actor): Promise<Readable> => {
      const file = await mustHaveFile(id)
      await handle(
        exportDecider,
        exportStream(id),
        { type: 'download', exportId: id, sha256: file.sha256 },
        actor,
      )
      const pieces = async function* (): AsyncGenerator<Buffer> {
        yield* readFile(services, file)
        await deleteFile(id)
      }
      return Readable.from(pieces(), { highWaterMark: 1 })
    },

    /** Deletes expired exports with their files. */
    sweep: async (): Promise<void> => {
      const { rows } = await pool.query<{ id: string }>('select id from work.export where expires_at <= $1', [
        clock.now(),
      ])
      for (const { id } of rows) await remove(id)
    },
  }
}

/** Writes requested exports. @param logRows as in `writeBundle` */
export const exportWriter = (services: ExportServices, logRows: LogRows) => {
  const { pool, clock, vault, random, pastRecord } = services
  const signer = auditSigner(services)
  const openAudit = auditEntries(vault)

  /** @returns false if the audit trail does not contain the state yet */
  const write = async (task: ExportTaskRow, signal: AbortSignal): Promise<boolean> => {
    const { id, attempt } = task
    const held = async (text: string, values: readonly unknown[]): Promise<void> => {
      const { rowCount } = await pool.query(text, [id, attempt, ...values])
      if (rowCount === 0) throw new Interrupted()
    }
    const at = task.at ?? clock.now()
    const { answer } = await ofThePast(pool, [at], async (client, [past]) => {
      await client.query(`set local idle_in_transaction_session_timeout = '10min'`)
      const size = await sizeAt(client, past)
      if (size === null) return false
      const { key, sealedKey } = newFileKey(services, id)
      let total = 0
      for (const kind of task.kinds)
        total += kind === 'audit' || kind === 'log' ? size : await countThen(client, past, kind)
      await held(
        `update work.export set leased_until = $3, at = $4, position = $5, total = $6, sealed_key = $7
         where id = $1 and attempt = $2`,
        [clock.in(LEASE_SECONDS), at, past.cut, total, sealedKey],
      )
      await deletePieces(services, id, attempt)
      let rows = 0
      let reported = performance.now()
      const wrote = async (count: number): Promise<void> => {
        rows += count
        if (signal.aborted) throw new Interrupted()
        if (performance.now() - reported < REPORT_MS) return
        reported = performance.now()
        await held('update work.export set leased_until = $3, rows = $4 where id = $1 and attempt = $2', [
          clock.in(LEASE_SECONDS),
          rows,
        ])
      }
      const archive = {
        exportId: id,
        requestedBy: task.requestedBy,
        requestedAt: task.requestedAt,
        kinds: task.kinds,
        format: task.format,
        source: { client, past, pastRecord, openAudit },
        size,
        logRows,
        signer: await signer(),
        now: new Date(clock.now()),
      }
      const { checkpoint, stream } = await writeArchive(archive, wrote)
      const store = (number: number, piece: Buffer, bytes: number): Promise<void> =>
        held(
          `with ours as (
             update work.export set leased_until = $3, bytes = bytes + $6 where id = $1 and attempt = $2 returning id)
           insert into work.export_piece (export_id, attempt, number, content)
           select id, $2, $4, $5 from ours`,
          [clock.in(LEASE_SECONDS), number, piece, bytes],
        )
      const { size: bytes, sha256 } = await storeFile({ random }, id, key, stream, store)
      await held(
        `update work.export set status = 'ready', leased_until = null, finished_at = $3, rows = $4, total = $4,
           bytes = $5, sha256 = $6, checkpoint = $7
         where id = $1 and attempt = $2`,
        [clock.now(), rows, bytes, sha256, checkpoint],
      )
      return true
    })
    return answer
  }

  const putBack = ({ id, attempt }: ExportTaskRow, seconds: number) =>
    pool.query(`update work.export set status = 'queued', leased_until = $3 where id = $1 and attempt = $2`, [
      id,
      attempt,
      clock.in(seconds),
    ])

  return {
    /**
     * Writes the oldest requested export, if there is one. An export that fails is not tried again.
     * @param signal stops it; another instance then starts again
     */
    work: async (signal: AbortSignal): Promise<void> => {
      const task = await takeExport(pool, clock.now(), clock.in(LEASE_SECONDS))
      if (task === null) return
      try {
        if (!(await write(task, signal))) await putBack(task, WAIT_SECONDS)
      } catch (error) {
        if (error instanceof Interrupted) {
          await putBack(task, 0)
          return
        }
        await pool.query(
          `update work.export set status = 'failed', finished_at = $3, leased_until = null, sealed_key = null
           where id = $1 and attempt = $2`,
          [task.id, task.attempt, clock.now()],
        )
        throw error
      }
    },
  }
}
