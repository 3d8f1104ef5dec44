import { expect } from 'chai'
import fc from 'fast-check'
import { SealBroken } from '../../adapters/engines/vault/aead.ts'
import { PersonKeyDestroyed, PersonKeyMissing } from '../../adapters/engines/vault/person-keys.ts'
import type { Vault } from '../../adapters/engines/vault/vault.ts'
import { flipBit, rejection, vaultDatabase } from './support.ts'
import type { VaultDatabase } from './support.ts'

describe('vault: user keys', function () {
  this.timeout(60_000)
  let db: VaultDatabase
  let vault: Vault
  before(async () => {
    db = await vaultDatabase()
    vault = await db.open()
    await vault.createPersonKeys(['usr_ann', 'usr_bob'])
  })
  after(() => db.close())

  it('decrypts only what it encrypted for the same user and purpose', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.nat(),
        fc.integer({ min: 0, max: 6 }),
        (plain, aad, other, place, bit) => {
          const sealed = vault.sealFor('usr_ann', plain, aad)
          const refused = (): void => {
            expect(() => vault.openFor('usr_bob', sealed, aad)).to.throw(SealBroken)
            if (other !== aad) expect(() => vault.openFor('usr_ann', sealed, other)).to.throw(SealBroken)
            expect(() => vault.openFor('usr_ann', flipBit(sealed, place, bit), aad)).to.throw(SealBroken)
          }
          refused()
          // What this process has just encrypted is remembered for the first reader; later ones decrypt it.
          expect(vault.openFor('usr_ann', sealed, aad)).to.equal(plain)
          expect(vault.openFor('usr_ann', sealed, aad)).to.equal(plain)
          refused()
          expect(() => vault.openFor('usr_ann', plain, aad)).to.throw(SealBroken)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('gives one key to instances that create it concurrently', async () => {
    const instances = await Promise.all(Array.from({ length: 6 }, () => db.open()))
    const subjects = Array.from({ length: 40 }, (_, i) => `usr_race${i}`)
    await Promise.all(
      instances.map((instance, i) => instance.createPersonKeys(i % 2 ? subjects : [...subjects].reverse())),
    )
    for (const subject of subjects) {
      const sealed = instances[0]!.sealFor(subject, 'x', '')
      for (const instance of instances) expect(instance.openFor(subject, sealed, '')).to.equal('x')
    }
  })

  it('decrypts nothing after the key was destroyed, and creates no new key', async () => {
    await vault.createPersonKey('usr_gone')
    const sealed = vault.sealFor('usr_gone', 'x', '')
    const other = await db.open()
    await other.ensureLoaded(['usr_gone'])
    await vault.destroyPersonKey('usr_gone')
    await vault.destroyPersonKey('usr_gone')
    expect(vault.openFor('usr_gone', sealed, '')).to.equal(null)
    expect(() => vault.sealFor('usr_gone', 'x', '')).to.throw(PersonKeyDestroyed)

    other.forget('usr_gone')
    expect(other.openFor('usr_gone', sealed, '')).to.equal(null)
    const later = await db.open()
    await later.ensureLoaded(['usr_gone'])
    expect(later.openFor('usr_gone', sealed, '')).to.equal(null)
    expect(await rejection(later.createPersonKey('usr_gone'))).to.be.instanceOf(PersonKeyDestroyed)
    const { rows } = await db.pool.query(
      "select wrapped, destroyed_at from vault.person_key where subject = 'usr_gone'",
    )
    expect(rows[0].wrapped).to.equal(null)
    expect(rows[0].destroyed_at).to.be.instanceOf(Date)
  })

  it('remembers the destruction of a key that never existed', async () => {
    await vault.destroyPersonKey('usr_never')
    expect(await rejection(vault.createPersonKey('usr_never'))).to.be.instanceOf(PersonKeyDestroyed)
  })

  it('does not bring a key back that was destroyed while it was being loaded', async () => {
    await vault.createPersonKey('usr_late')
    const sealed = vault.sealFor('usr_late', 'x', '')
    for (let i = 0; i < 20; i++) {
      const other = await db.open()
      const loading = other.ensureLoaded(['usr_late'])
      other.forget('usr_late')
      await loading
      expect(other.openFor('usr_late', sealed, '')).to.equal(null)
    }
  })

  it('distinguishes a missing key from a destroyed one', async () => {
    await vault.ensureLoaded(['usr_nobody'])
    expect(vault.personKeyState('usr_nobody')).to.equal('unknown')
    expect(() => vault.openFor('usr_nobody', 'p1.x', '')).to.throw(PersonKeyMissing)
  })

  it('rejects a wrapped key moved to another user', async () => {
    await vault.createPersonKeys(['usr_one', 'usr_two'])
    await db.pool
      .query(`update vault.person_key set wrapped = (select wrapped from vault.person_key where subject = 'usr_one')
      where subject = 'usr_two'`)
    const other = await db.open()
    expect(await rejection(other.ensureLoaded(['usr_two']))).to.be.instanceOf(SealBroken)
    await db.pool.query("delete from vault.person_key where subject = 'usr_two'")
  })
})
