import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { SealBroken } from '../../adapters/engines/vault/aead.ts'
import { PersonKeyDestroyed, PersonKeyMissing } from '../../adapters/engines/vault/person-keys.ts'
import { openEvents, sealEvent, sealEvents } from '../../adapters/engines/vault/personal-fields.ts'
import type { PersonalFields } from '../../adapters/engines/vault/personal-fields.ts'
import type { Vault } from '../../adapters/engines/vault/vault.ts'
import { rejection, vaultDatabase } from './support.ts'
import type { VaultDatabase } from './support.ts'

const row: PersonalFields = {
  personal: ['name', 'email'],
  subject: (data) => (typeof data['userId'] === 'string' ? data['userId'] : null),
}
const rowFor = (type: string): PersonalFields | undefined => (type === 'user.created' ? row : undefined)

const userCreated = (userId: string | null, more: object = {}, metadata: object = {}) => ({
  id: randomUUID(),
  type: 'user.created',
  stream: `user-${userId}`,
  data: { userId, name: 'Ann Lee', email: 'ann@example.com', locale: 'en', ...more } as Record<
    string,
    unknown
  >,
  metadata: { time: 't', ...metadata } as Record<string, unknown>,
})

describe('vault: personal fields of events', function () {
  this.timeout(60_000)
  let db: VaultDatabase
  let vault: Vault
  before(async () => {
    db = await vaultDatabase()
    vault = await db.open()
  })
  after(() => db.close())

  it('EVT-01 returns any event unchanged, and stores no readable personal data', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.option(fc.constant('usr_p')),
        async (name, email, id) => {
          const event = userCreated(
            id,
            { name, email },
            { ip: '203.0.113.9', userAgent: 'B', actorId: 'usr_p' },
          )
          const before = structuredClone(event)
          const sealed = await sealEvent(vault, event, row)
          expect(event).to.deep.equal(before)
          expect(sealed.data['locale']).to.equal('en')
          for (const [plain, stored] of [
            [name, sealed.data['name']],
            [email, sealed.data['email']],
            ['ip', sealed.metadata['ip']],
            ['userAgent', sealed.metadata['userAgent']],
          ]) {
            if (plain === null) expect(stored).to.equal(null)
            else expect(stored).to.match(/^sealed!(p1|v1)\.[\w.-]+$/)
          }
          const stored = JSON.parse(JSON.stringify(sealed)) as typeof sealed
          const [opened] = await openEvents(vault, [stored], rowFor)
          expect(JSON.stringify(opened)).to.equal(JSON.stringify(event))
        },
      ),
    )
  })

  it('decrypts a field only in its own event, stream and name', async () => {
    const sealed = await sealEvent(vault, userCreated('usr_q'), row)
    const { name, email } = sealed.data
    const moved = [
      { ...sealed, id: randomUUID() },
      { ...sealed, stream: 'user-usr_other' },
      { ...sealed, data: { ...sealed.data, name: email, email: name } },
    ]
    for (const event of moved) {
      const error = await rejection(openEvents(vault, [event], rowFor))
      expect(error).to.be.instanceOf(SealBroken)
      expect(error.message).to.contain('data.name').and.contain(event.id)
    }
  })

  it('omits the personal data of an erased user, and nothing else', async () => {
    const about = await sealEvent(vault, userCreated('usr_x', {}, { ip: '::1', actorId: 'usr_admin' }), row)
    const other = await sealEvent(vault, userCreated('usr_y', {}, { ip: '::1', actorId: 'usr_x' }), row)
    await vault.destroyPersonKey('usr_x')
    const [first, second] = await openEvents(await db.open(), [about, other], rowFor)
    expect(first!.data).to.deep.equal({ userId: 'usr_x', locale: 'en' })
    expect(first!.metadata['ip']).to.equal('::1')
    expect(second!.data['name']).to.equal('Ann Lee')
    expect(second!.metadata).to.deep.equal({ time: 't', actorId: 'usr_x' })

    expect(await rejection(sealEvent(vault, userCreated('usr_x'), row))).to.be.instanceOf(PersonKeyDestroyed)
    const last = await sealEvent(
      vault,
      { ...about, type: 'user.erased', data: {}, metadata: { ip: '::1', actorId: 'usr_x' } },
      undefined,
    )
    expect(last.metadata).to.deep.equal({ actorId: 'usr_x' })
  })

  it('fails if the vault lacks a key that the log needs', async () => {
    const sealed = await sealEvent(vault, userCreated('usr_lost'), row)
    await db.pool.query("delete from vault.person_key where subject = 'usr_lost'")
    expect(await rejection(openEvents(await db.open(), [sealed], rowFor))).to.be.instanceOf(PersonKeyMissing)
  })

  it('treats a value that looks encrypted as plain text', async () => {
    const event = userCreated('usr_z', { name: 'sealed!p1.AAAA', locale: 'sealed!v1.AAAA' })
    const [opened] = await openEvents(vault, [await sealEvent(vault, event, row)], rowFor)
    expect(opened).to.deep.equal(event)
  })

  it('decrypts thousands of events with one query for their keys', async () => {
    const events = Array.from({ length: 5000 }, (_, i) => userCreated(`usr_many${i % 4000}`))
    const sealed = await sealEvents(vault, events, rowFor)
    const other = await db.open()
    let queries = 0
    db.pool.on('acquire', () => queries++)
    expect(await openEvents(other, sealed, rowFor)).to.deep.equal(events)
    expect(queries).to.equal(1)
  })
})
