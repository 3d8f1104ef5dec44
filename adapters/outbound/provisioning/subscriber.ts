/** Marks applications whose users may have changed, so that they are synced soon. */
import type pg from 'pg'
import { isEventType, type Recorded } from '../../../domain/catalogue.ts'
import { marksProvisioning } from '../../../domain/consequences.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import { scrubErased } from './store.ts'

export const PROVISIONING_MARKS = 'provisioning-marks'

export const provisioningMarkTypes = (type: string): boolean => isEventType(type) && marksProvisioning(type)

export const concernsProvisioning = ({ type }: Recorded): boolean => marksProvisioning(type)

export const markProvisioning =
  ({ pool, waitFor }: { readonly pool: pg.Pool; readonly waitFor: WaitFor }) =>
  async (batch: { readonly events: readonly Recorded[]; readonly position: string }): Promise<void> => {
    if (!batch.events.some(concernsProvisioning)) return
    // A query before the read models have caught up would see nothing new, so it is retried until they have.
    if (!(await waitFor('core', batch.position))) throw new Error('the read models lag behind')
    if (batch.events.some(({ type }) => type === 'user.erased')) await scrubErased(pool)
    await pool.query(
      `insert into work.provisioning as w (application_id, generation, marks)
       select application_id, generation, 1 from provisioning where status = 'configured' and enabled
       order by application_id
       on conflict (application_id) do update set marks = w.marks + 1`,
    )
  }
