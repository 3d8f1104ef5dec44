import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  acceptLoss,
  finishLoss,
  LossRefused,
  type AcceptedLoss,
} from '../../adapters/engines/vault/accept-loss.ts'
import { SealBroken, SealLost } from '../../adapters/engines/vault/aead.ts'
import { rotateSecretKey } from '../../adapters/engines/vault/rotate.ts'
import { flipBit, keyA, keyB, rejection, vaultDatabase, type VaultDatabase } from './support.ts'

const keyC = 'c'.repeat(43)

describe('vault: a lost secret key', function () {
  this.timeout(60_000)
  let db: VaultDatabase
  let secret: string
  let personal: string

  const accept = (secretKey: string, beforeCommit?: () => Promise<void>): Promise<AcceptedLoss> =>
    acceptLoss({
      pool: db.pool,
      secretKey,
      now: () => new Date(),
      random: randomBytes,
      patience: 50,
      ...(beforeCommit === undefined ? {} : { beforeCommit }),
    })
  const finish = ({ losses }: AcceptedLoss): Promise<void> => finishLoss(db.pool, losses, new Date())
  const lostKeysOf = async (subject: string): Promise<number> =>
    (await db.pool.query('select from vault.lost_person_key where subject = $1', [subject])).rowCount ?? 0

  beforeEach(async () => {
    db = await vaultDatabase()
    const vault = await db.open(keyA)
    secret = vault.seal('webhook', 'whsec_x', 'whk_1')
    await vault.createPersonKeys(['usr_a', 'usr_b', 'usr_gone'])
    await vault.destroyPersonKey('usr_gone')
    personal = vault.sealFor('usr_a', 'Ann', '')
  })
  afterEach(() => db.close())

  it('CLI-03 data encrypted with the lost key is distinguished from damaged data, and new data decrypts', async () => {
    const accepted = await accept(keyB)
    expect(accepted.outcome).to.equal('accepted')
    expect(accepted.losses.map(({ generation }) => generation)).to.deep.equal([2])
    expect((await rejection(db.open(keyB))).message).to.contain('was interrupted')
    expect((await accept(keyB)).outcome).to.equal('resumed')
    await finish(accepted)

    const vault = await db.open(keyB)
    await vault.ensureLoaded(['usr_a', 'usr_gone'])
    expect(() => vault.open('webhook', secret, 'whk_1')).to.throw(SealLost)
    expect(() => vault.openFor('usr_a', personal, '')).to.throw(SealLost)
    expect(vault.openFor('usr_gone', personal, '')).to.equal(null)
    expect(vault.personKeyState('usr_gone')).to.equal('destroyed')

    const fresh = vault.sealFor('usr_a', 'Ann again', '')
    expect(fresh).to.match(/^p2\./)
    expect(vault.openFor('usr_a', fresh, '')).to.equal('Ann again')
    for (const altered of [
      flipBit(fresh, fresh.length - 9, 0),
      fresh.replace('p2.', 'p3.'),
      `p0${fresh.slice(2)}`,
    ])
      expect(() => vault.openFor('usr_a', altered, ''))
        .to.throw(SealBroken)
        .that.is.not.instanceOf(SealLost)
    const stored = vault.seal('webhook', 'whsec_y', 'whk_2')
    expect(vault.open('webhook', stored, 'whk_2').toString()).to.equal('whsec_y')
    expect(() => vault.open('webhook', stored.replace(/^v1\.[\w-]{8}/, 'v1.AAAAAAAA'), 'whk_2'))
      .to.throw(SealBroken)
      .that.is.not.instanceOf(SealLost)
  })

  it('CLI-03 erasing a user also destroys their lost key, in case the secret key is found', async () => {
    await finish(await accept(keyB))
    expect([await lostKeysOf('usr_a'), await lostKeysOf('usr_gone')]).to.deep.equal([1, 0])
    await (await db.open(keyB)).destroyPersonKey('usr_a')
    expect([await lostKeysOf('usr_a'), await lostKeysOf('usr_b')]).to.deep.equal([0, 1])
  })

  it('CLI-03 the next key can be rotated, and lost as well', async () => {
    await finish(await accept(keyB))
    const vault = await db.open(keyB)
    await vault.ensureLoaded(['usr_a'])
    const second = vault.sealFor('usr_a', 'Ann again', '')
    const { proven } = await rotateSecretKey({
      pool: db.pool,
      oldKey: keyB,
      newKey: keyC,
      random: randomBytes,
      provers: [[{ what: 'webhook whk_1', sealed: secret, purpose: 'webhook', aad: 'whk_1' }]],
    })
    expect(proven).to.deep.equal({ keyring: 2, personKeys: 2, secrets: 0 })
    const rotated = await db.open(keyC)
    await rotated.ensureLoaded(['usr_a'])
    expect(rotated.openFor('usr_a', second, '')).to.equal('Ann again')

    await finish(await accept(keyA))
    const third = await db.open(keyA)
    await third.ensureLoaded(['usr_a'])
    for (const sealed of [personal, second])
      expect(() => third.openFor('usr_a', sealed, '')).to.throw(SealLost)
    expect(third.sealFor('usr_a', 'Ann', '')).to.match(/^p3\./)
    expect(await lostKeysOf('usr_a')).to.equal(2)
  })

  it('CLI-03 nothing is changed with the right key, with a damaged row, or if the key cannot be stored', async () => {
    expect(await rejection(accept(keyA))).to.be.instanceOf(LossRefused)
    const noSpace = await rejection(accept(keyB, () => Promise.reject(new Error('no space on the disk'))))
    expect(noSpace.message).to.equal('no space on the disk')
    const vault = await db.open(keyA)
    await vault.ensureLoaded(['usr_a'])
    expect(vault.openFor('usr_a', personal, '')).to.equal('Ann')
    await db.pool.query(`update vault.keyring set wrapped = 'x' where purpose = 'person'`)
    expect((await rejection(accept(keyA))).message).to.contain('is damaged')
  })
})
