import { expect } from 'chai'
import type pg from 'pg'
import type { Services } from '../../adapters/application/services/services.ts'
import { queueMail } from '../../adapters/outbound/mail/subscriber.ts'
import { catalogue, rowOf, type EventType, type Recorded } from '../../domain/catalogue.ts'
import { corpus } from '../support/domain/corpus.ts'

const types = Object.keys(catalogue) as readonly EventType[]

/** Returns frozen events of the type, with variants of their data. */
const variantsOf = (type: EventType): readonly Recorded[] => {
  const frozen = corpus.get(`${type}.v${String(rowOf(type).schema)}.json`)
  return [{}, { kind: 'invite' }, { kind: 'reset' }, { riskType: 'break_glass_used' }].map(
    (fields) => ({ ...frozen, data: { ...frozen?.data, ...fields } }) as unknown as Recorded,
  )
}

/** Returns the kinds of email that the subscriber queues for an event. */
const queuedFor = async (event: Recorded): Promise<readonly string[]> => {
  const queued: string[] = []
  const pool = {
    query: (text: string, [, kinds]: readonly (readonly string[])[] = []) => {
      if (text.includes('from users') || text.includes('from access_review_items'))
        return Promise.resolve({ rows: [{ id: 'usr_administrator' }] })
      queued.push(...(kinds ?? []))
      return Promise.resolve({ rows: [] })
    },
  } as unknown as pg.Pool
  const services = {
    vault: {
      ensureLoaded: () => Promise.resolve(),
      personKeyState: () => 'present',
      sealFor: () => 'sealed',
      digest: () => 'digest',
    },
    mail: { available: true, queued: { wake: () => undefined }, outbox: null },
    clock: {
      now: () => event.metadata.time,
      in: (seconds: number) => (seconds < 0 ? '2000-01-01T00:00:00.000000Z' : '2100-01-01T00:00:00.000000Z'),
    },
  } as unknown as Pick<Services, 'vault' | 'mail' | 'clock'>
  const react = queueMail(services, pool, () => Promise.resolve(true))
  await react({ events: [event], position: event.position })
  return queued
}

describe('Emails that events cause', () => {
  for (const type of types.filter((each) => rowOf(each).consequences.emails.length > 0))
    it(`${type} causes exactly the emails in its catalogue row`, async () => {
      const queued = await Promise.all(variantsOf(type).map(queuedFor))
      expect([...new Set(queued.flat())]).to.have.members([...rowOf(type).consequences.emails])
    })

  it('no other event causes any', async () => {
    for (const type of types)
      if (rowOf(type).consequences.emails.length === 0)
        for (const event of variantsOf(type)) expect(await queuedFor(event), type).to.deep.equal([])
  })
})
