import { expect } from 'chai'
import { entryOf, partiesOf } from '../../domain/audit/entry.ts'
import { auditIdOf, timeOfId } from '../../domain/audit/id.ts'
import { catalogue, rowOf, type DomainEvent, type EventType, type Recorded } from '../../domain/catalogue.ts'
import { idPattern } from '../../domain/ids.ts'
import { auditTables } from '../../projections/audit.ts'
import * as ada from '../support/sign-in/ada.ts'
import { auditActions, targetTypes } from '../support/audit/audit-actions.ts'
import { corpus } from '../support/domain/corpus.ts'
import { at, id } from '../support/fixed.ts'
import * as payroll from '../support/scim/payroll.ts'
import { position, readModels, recorded, type ReadModels } from '../support/event-log/projection.ts'

const types = Object.keys(catalogue) as readonly EventType[]

/** One event of each type, in its current version. */
const each: readonly DomainEvent[] = types.map((type) => {
  const { data } = corpus.get(`${type}.v${String(rowOf(type).schema)}.json`)!
  return { type, data } as unknown as DomainEvent
})

const names = { actor: 'Grace', target: 'The target', other: 'The other' }

describe('The audit trail of any history', () => {
  let models: ReadModels
  before(async () => {
    models = await readModels(auditTables)
  })
  after(() => models.drop())

  it('AUD-01 has exactly one entry for each event with an action', async () => {
    const events = recorded(each)
    const rows = (await models.after(events))['audit_events'] ?? []
    const expected = events.flatMap((event) => {
      const { audit } = rowOf(event.type)
      const action = typeof audit === 'function' ? audit({ ...event.data }) : audit
      return action === null ? [] : [{ position: event.position, time: event.metadata.time, action }]
    })
    expect(rows.length).to.equal(expected.length).and.to.be.greaterThan(30)
    for (const one of expected) {
      const row = rows.find((other) => other['position'] === one.position)
      expect(row).to.include(one)
      expect(auditActions).to.include(row?.['action'])
      expect(targetTypes).to.include(row?.['target_type'])
      expect(row?.['id']).to.match(new RegExp(idPattern('auditEvent')))
      expect(row?.['actor_id']).to.equal(id('user', 99))
    }
  })

  it('AUD-01 produces the same rows for any batches, and the ids sort by time', async () => {
    const events = recorded(each)
    const whole = await models.after(events)
    expect(await models.after(...events.map((event) => [event]))).to.deep.equal(whole)
    const rows = whole['audit_events'] ?? []
    expect(rows.map((row) => row['position'])).to.deep.equal(rows.map((row) => row['position']).sort())
  })

  for (const event of recorded(each)) {
    const { audit, summary } = rowOf(event.type)
    if (audit === null) continue
    it(`AUD-01 ${event.type} has another party if its summary mentions one`, () => {
      const sentence = summary({ ...event.data }, { target: '<target>', other: '<other>' })
      if (sentence.includes('<other>')) expect(partiesOf(event).otherId).to.be.a('string')
      expect(entryOf(event, 'x', names).summary).not.to.contain('somebody')
      expect(entryOf(event, 'x', names).changes).to.satisfy((changes: { field: string }[]) =>
        changes.every(({ field }) => field !== ''),
      )
    })
  }

  it('AUD-01 shows no secret among the changes', () => {
    const [event] = recorded([
      {
        type: 'application.updated',
        data: {
          applicationId: id('application'),
          changes: [
            { field: 'clientSecret', from: 'abc', to: 'def' },
            { field: 'provisioningToken', from: null, to: 'def' },
            { field: 'refreshTokenRotation', from: true, to: false },
          ],
        },
      },
    ]) as [Recorded]
    expect(entryOf(event, 'application.update', names).changes).to.deep.equal([
      { field: 'clientSecret', from: '•', to: '•' },
      { field: 'provisioningToken', from: null, to: '•' },
      { field: 'refreshTokenRotation', from: true, to: false },
    ])
  })

  it('AUD-01 keeps the names of resources, each from a position on', async () => {
    const rename = (to: string): DomainEvent => ({
      type: 'user.updated',
      data: { userId: ada.userId, changes: [{ field: 'name', from: 'x', to }] },
    })
    const rows = (
      await models.after(
        recorded([ada.invited, rename('Ada King'), payroll.created(), payroll.secretCreated(1)]),
      )
    )['audit_names']
    expect(rows?.map((row) => [row['id'], row['from_position'], row['name']])).to.have.deep.members([
      [ada.userId, position(1), 'Ada'],
      [ada.userId, position(2), 'Ada King'],
      [id('application'), position(3), 'Payroll'],
      [id('clientSecret', 1), position(4), 'svs_0001'],
    ])
  })

  it('AUD-01 EVT-03 keeps the same data of an erased user as a replay without their key', async () => {
    const method: DomainEvent = {
      type: 'user.method_renamed',
      data: { userId: ada.userId, methodId: id('method'), name: 'Blue key' },
    }
    const history = recorded([
      ada.invited,
      ...each
        .filter(({ type }) => type === 'user.method_added')
        .map((event) => ({
          ...event,
          data: { ...event.data, userId: ada.userId, methodId: id('method') },
        })),
      {
        type: 'user.updated',
        data: { userId: ada.userId, changes: [{ field: 'name', from: 'x', to: 'Ada King' }] },
      },
      method,
      ada.deleted,
      ada.erased,
    ] as DomainEvent[])
    const closed = history.map((event) => {
      const personal = new Set<string>(rowOf(event.type).personal)
      const data = Object.fromEntries(Object.entries(event.data).filter(([field]) => !personal.has(field)))
      return { ...event, data } as unknown as Recorded
    })
    const live = await models.after(history)
    expect(live).to.deep.equal(await models.after(closed))
    expect(live['audit_names']?.map((row) => row['name'])).to.have.members(['Erased user', null])
    for (const event of closed)
      expect(
        entryOf(event, 'x', { actor: null, target: 'Erased user', other: 'Erased user' }).changes,
      ).to.deep.equal([])
  })

  it('AUD-01 ids derive from time and event, sort by microseconds and contain their time', () => {
    const digest = 'f'.repeat(64)
    const moments = [
      at(0),
      at(0).replace('000Z', '001Z'),
      at(0).replace('000Z', '999Z'),
      at(1),
      '9999-12-31T23:59:59.999999Z',
    ]
    const ids = moments.map((time) => auditIdOf(time, digest))
    expect(ids).to.deep.equal([...ids].sort())
    expect(new Set(ids).size).to.equal(ids.length)
    expect(auditIdOf(at(0), digest)).to.equal(ids[0])
    expect(auditIdOf(at(0), '0'.repeat(64))).not.to.equal(ids[0])
    for (const one of ids) expect(one).to.match(new RegExp(idPattern('auditEvent')))
    expect(ids.map(timeOfId)).to.deep.equal(moments.map((time) => time.replace(/\d{3}Z$/, '000Z')))
    expect(timeOfId('aud_00000000000000000000000000')).to.equal('1970-01-01T00:00:00.000000Z')
    expect(timeOfId('aud_7ZZZZZZZZZZZZZZZZZZZZZZZZZ')).to.equal('9999-12-31T23:59:59.999000Z')
  })
})
