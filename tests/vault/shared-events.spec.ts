import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { RecordedEvent } from '../../adapters/engines/event-log/event-log.ts'
import { padPosition } from '../../adapters/engines/event-log/postgres/writer.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import type { Vault } from '../../adapters/engines/vault/vault.ts'
import { vaultDatabase, type VaultDatabase } from './support.ts'

describe('Events that several consumers open', () => {
  let db: VaultDatabase
  let vault: Vault
  before(async () => {
    db = await vaultDatabase()
    vault = await db.open()
  })
  after(() => db.close())

  const counting = () => {
    let decrypted = 0
    const counted: Vault = {
      ...vault,
      openFor: (...given) => {
        decrypted++
        return vault.openFor(...given)
      },
    }
    return { serializer: eventSerializer(counted), decrypted: () => decrypted }
  }
  const stored = async (userId: string): Promise<RecordedEvent> => {
    const [sealed] = await eventSerializer(vault).seal([
      {
        ...{ id: randomUUID(), type: 'user.email_changed', stream: `user-${userId}` },
        data: { userId, from: null, to: 'ann@example.com' },
        metadata: { schema: 1, time: '2026-01-01T00:00:00.000000Z', actorId: null, ip: '203.0.113.9' },
      },
    ])
    return {
      ...{ stream: `user-${userId}`, revision: 0, position: padPosition('1'), recorded: '0' },
      ...(sealed as Pick<RecordedEvent, 'id' | 'type' | 'data' | 'metadata'>),
    }
  }

  it('EVT-01 are decrypted once, even for consumers that start together', async () => {
    const { serializer, decrypted } = counting()
    const event = await stored('usr_once')
    const all = await Promise.all([1, 2, 3].map(() => serializer.openShared([event])))
    all.push(await serializer.openShared([event]))
    expect(decrypted()).to.equal(1)
    for (const [opened] of all) {
      expect(opened?.data).to.deep.equal({ userId: 'usr_once', from: null, to: 'ann@example.com' })
      expect(opened?.metadata.ip).to.equal(null)
    }
    await serializer.openShared([{ ...event }])
    expect(decrypted()).to.equal(2)
  })

  it('ID-02 EVT-03 are not readable to any consumer once the user is erased', async () => {
    const { serializer } = counting()
    const event = await stored('usr_erased')
    const other = await stored('usr_other')
    const emails = async () =>
      (await serializer.openShared([event, other])).map(({ data }) => (data as { to?: string }).to)
    expect(await emails()).to.deep.equal(['ann@example.com', 'ann@example.com'])
    await vault.destroyPersonKey('usr_erased')
    expect(await emails()).to.deep.equal([undefined, 'ann@example.com'])
  })

  it('EVT-01 a consumer that cannot open an event does not keep others from theirs', async () => {
    const { serializer } = counting()
    const event = await stored('usr_fine')
    const broken = await stored('usr_broken')
    const tampered = { ...broken, data: { ...broken.data, userId: 'usr_fine' } }
    const [bad, good] = await Promise.allSettled([
      serializer.openShared([tampered]),
      serializer.openShared([event]),
    ])
    expect(bad.status).to.equal('rejected')
    expect(good.status).to.equal('fulfilled')
  })
})
