/**
 * Sends the state of the audit tree to endpoints that select it, so that an external party has evidence for verifying
 * the log. It is not an event of the log, because each one would make the log grow.
 */
import type pg from 'pg'
import type { NewId } from '../../../domain/ids.ts'
import type { Instant } from '../../../domain/time.ts'
import { CHECKPOINT_TYPE, wantsType } from '../../../domain/webhook/event-types.ts'
import { nodeBytes } from '../../engines/audit/bytes.ts'
import { checkpoints, type SignedCheckpoint } from '../../engines/audit/checkpoints.ts'
import { auditSigner } from '../../engines/audit/signer.ts'
import { treeState } from '../../engines/audit/tree.ts'
import type { Services } from '../../application/services/services.ts'
import { idsFor } from '../../kernel/ids.ts'
import { inTransaction } from '../../../read-models/transaction.ts'
import { queueDeliveries, BODY_PURPOSE } from './deliveries.ts'
import { envelopeOf } from './envelope.ts'
import type { OutboundEvent } from '../../application/services/outbound-source.ts'
import { NOW, type Now } from './now.ts'

/**
 * Seconds by which the last checkpoint may be in the future. If it is further ahead, the clock has been set back
 * since.
 */
const CLOCK_TOLERANCE_SECONDS = 60

/**
 * The condition that a checkpoint is due.
 * @param column time of the last one
 * @param now parameter of the statement
 * @param every parameter of the statement
 */
const due = (column: string, now: string, every: string): string =>
  `(${column} <= ${NOW(now)} - make_interval(secs => ${every})
    or ${column} > ${NOW(now)} + interval '${String(CLOCK_TOLERANCE_SECONDS)} seconds')`

/** Returns the checkpoint event if it is due and the tree has grown since the last one. */
export const checkpointTeller = (
  deps: Pick<Services, 'pool' | 'vault' | 'publicUrl'> & {
    readonly newId: NewId
    readonly now: Now
    /** Seconds between two checkpoints; infinite disables them */
    readonly every: number
  },
) => {
  const { pool, vault, newId, now, every } = deps
  const checkpoint = checkpoints(pool, auditSigner(deps))

  const asking = async (): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ id: string; events: readonly string[] }>(
      `select id, events from webhooks where status = 'active'`,
    )
    return rows.filter(({ events }) => wantsType(events, CHECKPOINT_TYPE)).map(({ id }) => id)
  }

  /** Returns the time if a checkpoint is due. */
  const dueAt = async (size: number): Promise<Instant | null> => {
    const { rows } = await pool.query<{ at: Instant }>(
      `select ${NOW('$1')} as at where not exists (
         select from work.webhook_checkpoint where size >= $3 or not ${due('told_at', '$1', '$2')})`,
      [now(), every, size],
    )
    return rows[0]?.at ?? null
  }

  const eventOf = (
    { origin, size, root, time, note }: SignedCheckpoint,
    position: string,
    at: Instant,
  ): OutboundEvent => {
    // The same tree gets the same event id on every instance.
    const id = idsFor(`${CHECKPOINT_TYPE}|${origin}|${String(size)}`).newId('auditEvent')
    const data = {
      id,
      time: at,
      actorId: null,
      action: CHECKPOINT_TYPE,
      summary: `The audit tree of ${origin} has ${String(size)} ${size === 1 ? 'entry' : 'entries'}`,
      targetType: 'audit',
      targetId: origin,
      target: origin,
      ip: null,
      checkpoint: {
        origin,
        size,
        rootHash: nodeBytes.toBase64(root),
        time,
        note,
      },
    }
    return { position, id, type: CHECKPOINT_TYPE, time: at, data, subjects: [] }
  }

  const queue = async (client: pg.ClientBase, event: OutboundEvent, webhookIds: readonly string[]) => {
    const { id: eventId, type: eventType, position: place, subjects } = event
    const body = envelopeOf(event)
    const deliveries = webhookIds.map((webhookId) => {
      const id = newId('delivery')
      const sealed = vault.seal(BODY_PURPOSE, body, id)
      return { id, webhookId, eventId, eventType, place, subjects, body: sealed }
    })
    await queueDeliveries(client, deliveries, now)
  }

  return {
    tell: async (): Promise<void> => {
      if (!Number.isFinite(every)) return
      const webhookIds = await asking()
      if (webhookIds.length === 0) return
      const tree = await treeState(pool)
      const at = tree.size === 0 ? null : await dueAt(tree.size)
      if (at === null) return
      // The tree may have grown since; the event contains the head that is signed and stored.
      const signed = await checkpoint()
      const event = eventOf(signed, tree.position, at)
      await inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          `insert into work.webhook_checkpoint as c (size, told_at) values ($3, ${NOW('$1')})
           on conflict (only_one) do update set size = excluded.size, told_at = excluded.told_at
           where c.size < excluded.size and ${due('c.told_at', '$1', '$2')}`,
          [now(), every, signed.size],
        )
        // If no row changed, another instance was first.
        if (rowCount === 1) await queue(client, event, webhookIds)
      })
    },
  }
}
