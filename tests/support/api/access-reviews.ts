import { accessReviewDuty } from '../../../adapters/application/reactions/access-reviews.ts'
import type { Clock } from '../../../adapters/kernel/clock.ts'
import { until } from '../until.ts'
import { system } from '../service/service.ts'
import { accessWorld, type Json } from './access-packages.ts'

/** A service with an administrator, and how tests review access with it. */
export const reviewWorld = async () => {
  const w = await accessWorld()
  const { services } = w.service.core

  const settings = {
    justificationRequired: 'never',
    selfReview: false,
    bulkDecisions: true,
    reminders: [],
    recommendationInactiveDays: 30,
    onNoResponse: 'keep',
    autoApply: true,
  }
  /** The fields of a review of these groups by these users. */
  const draft = (groupIds: readonly string[], reviewerIds: readonly string[], more: Json = {}): Json => ({
    name: 'Review',
    scope: { type: 'group', ids: groupIds },
    stages: [{ type: 'users', ids: reviewerIds, fallbackIds: [] }],
    schedule: { startsAt: new Date(Date.now() + 86_400_000).toISOString(), durationDays: 14, repeat: 'none' },
    ...more,
    settings: { ...settings, ...more.settings },
  })
  const read = (id: string): Promise<Json> => w.ok('GET', `/access-reviews/${id}`)
  const items = (id: string, query = ''): Promise<Json> =>
    w.ok('GET', `/access-reviews/${id}/items?limit=200${query}`)
  /** What time does, once, at the time of a clock. */
  const duty = (clock: Clock) => accessReviewDuty({ ...services, clock }, () => system)
  const opened = async (id: string): Promise<Json> => {
    // Besides the service's own.
    await duty(services.clock)()
    await until(async () => (await read(id)).openedAt !== null, 20_000, 'the items of a review')
    return read(id)
  }
  /** Creates a review, starts it, and waits for its items. */
  const started = async (fields: Json): Promise<Json> => {
    const { id } = await w.ok('POST', '/access-reviews', fields)
    await w.ok('POST', `/access-reviews/${String(id)}/start`)
    return opened(id)
  }
  const completed = async (id: string): Promise<Json> => {
    await duty(services.clock)()
    await until(async () => (await read(id)).status === 'completed', 20_000, 'the end of a review')
    return read(id)
  }
  return {
    ...w,
    ...{ draft, read, items, opened, started, completed, duty },
  }
}

export type ReviewWorld = Awaited<ReturnType<typeof reviewWorld>>
