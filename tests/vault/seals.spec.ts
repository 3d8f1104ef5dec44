import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { boxKey, openBox, sealBox, SealBroken } from '../../adapters/engines/vault/aead.ts'
import { hashSecret, newSecret, sameHash } from '../../adapters/engines/vault/hash.ts'
import { migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import type { Vault } from '../../adapters/engines/vault/vault.ts'
import { flipBit, keyB, rejection, vaultDatabase } from './support.ts'
import type { VaultDatabase } from './support.ts'

const text = fc.string({ unit: 'binary' })

describe('vault: encryption by the service', function () {
  this.timeout(60_000)
  let db: VaultDatabase
  let vault: Vault
  before(async () => {
    db = await vaultDatabase()
    vault = await db.open()
  })
  after(() => db.close())

  it('agrees with the published XAES-256-GCM vectors', () => {
    const nonce = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX')
    const seal = (byte: number, aad: string): string =>
      sealBox(boxKey(Buffer.alloc(32, byte)), nonce, 'XAES-256-GCM', aad)
        .subarray(24)
        .toString('hex')
    expect(seal(1, '')).to.equal('ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271')
    expect(seal(3, 'c2sp.org/XAES-256-GCM')).to.equal(
      '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d',
    )
  })

  it('decrypts what it encrypted, in every instance of the service', async () => {
    const other = await db.open()
    fc.assert(
      fc.property(text, fc.uint8Array({ maxLength: 300 }), text, (purpose, bytes, aad) => {
        const plaintext = Buffer.from(bytes)
        const sealed = vault.seal(purpose, plaintext, aad)
        expect(sealed).to.match(/^[\w.-]+$/)
        expect(other.open(purpose, sealed, aad).equals(plaintext)).to.equal(true)
      }),
    )
  })

  it('decrypts nothing with a bit flipped, cut short or lengthened', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 0, max: 6 }), (plaintext, place, bit) => {
        const sealed = vault.seal('code', plaintext, 'a')
        expect(() => vault.open('code', flipBit(sealed, place, bit), 'a')).to.throw(SealBroken)
        expect(() => vault.open('code', sealed.slice(0, place % sealed.length), 'a')).to.throw(SealBroken)
        expect(() => vault.open('code', sealed + 'A', 'a')).to.throw(SealBroken)
      }),
      { numRuns: 500 },
    )
  })

  it('decrypts nothing for another purpose or place', () => {
    fc.assert(
      fc.property(text, text, text, text, (purpose, aad, otherPurpose, otherAad) => {
        const sealed = vault.seal(purpose, 'x', aad)
        if (otherPurpose !== purpose) expect(() => vault.open(otherPurpose, sealed, aad)).to.throw(SealBroken)
        if (otherAad !== aad) expect(() => vault.open(purpose, sealed, otherAad)).to.throw(SealBroken)
      }),
    )
  })

  it('throws SealBroken and nothing else for arbitrary text', () => {
    const [, id] = vault.seal('code', '', '').split('.')
    const forged = fc.oneof(
      text,
      fc.base64String().map((box) => `v1.${id}.${box}`),
      fc.uint8Array({ maxLength: 80 }).map((bytes) => `v1.${id}.${Buffer.from(bytes).toString('base64url')}`),
      fc.constantFrom('__proto__', 'v1.__proto__.AAAA', 'v1.AAAAAAAA.AAAA', ''),
    )
    fc.assert(
      fc.property(text, forged, text, (purpose, sealed, aad) => {
        expect(() => vault.open(purpose, sealed, aad)).to.throw(SealBroken)
      }),
      { numRuns: 1000 },
    )
    expect(() => vault.open('code', undefined as unknown as string, '')).to.throw(SealBroken)
    expect(() => openBox(boxKey(randomBytes(32)), Buffer.alloc(0), '')).to.throw(SealBroken)
  })

  it('decrypts nothing from another database', async () => {
    const elsewhere = await vaultDatabase()
    const stranger = await elsewhere.open()
    expect(() => stranger.open('code', vault.seal('code', 'x', ''), '')).to.throw(SealBroken)
    await elsewhere.close()
  })

  it('names SVC_SECRET_KEY if it is a different or too short one', async () => {
    const wrong = await rejection(db.open(keyB))
    expect(wrong.name).to.equal('SecretKeyError')
    expect(wrong.message).to.contain('SVC_SECRET_KEY is not the key')
    expect((await rejection(db.open('short'))).message).to.contain('SVC_SECRET_KEY must be at least 32')
  })

  it('creates one keyring when several instances start together', async () => {
    const fresh = await vaultDatabase()
    await Promise.all([migrateSchema(fresh.pool, 'vault'), migrateSchema(fresh.pool, 'vault')])
    const vaults = await Promise.all(Array.from({ length: 8 }, () => fresh.open()))
    const sealed = vaults[0]!.seal('p', 'x', '')
    for (const instance of vaults) expect(instance.open('p', sealed, '').toString()).to.equal('x')
    expect((await fresh.pool.query('select 1 from vault.keyring')).rowCount).to.equal(2)
    await fresh.close()
  })
})

describe('vault: secrets that are compared', () => {
  it('ID-02 creates prefixed 256-bit secrets of which only the hash is needed', () => {
    const secret = newSecret('svs_', randomBytes)
    expect(secret).to.match(/^svs_[\w-]{43}$/)
    expect(hashSecret(secret)).to.match(/^[\w-]{43}$/)
    expect(hashSecret('abc')).to.equal('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })

  it('ID-02 distinguishes equal from different values of any length', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(sameHash(hashSecret(a), hashSecret(b))).to.equal(a === b)
        expect(sameHash(hashSecret(a), hashSecret(a))).to.equal(true)
        const near = hashSecret(a)
        for (const at of [0, 20, near.length - 1])
          expect(sameHash(near, `${near.slice(0, at)}.${near.slice(at + 1)}`)).to.equal(false)
      }),
    )
  })
})
