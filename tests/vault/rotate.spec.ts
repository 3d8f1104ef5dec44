import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { build } from 'esbuild'
import pg from 'pg'
import { holdServiceLock, rotateSecretKey } from '../../adapters/engines/vault/rotate.ts'
import type { RotateOptions, RotationResult, StoredSecret } from '../../adapters/engines/vault/rotate.ts'
import type { Vault } from '../../adapters/engines/vault/vault.ts'
import { keyA, keyB, rejection, vaultDatabase } from './support.ts'
import type { VaultDatabase } from './support.ts'

/** Bundled once: it starts dozens of times, and the loader of TypeScript takes longer than what it does. */
const bundledChild = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'rotate-child.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('rotate-child.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  return outfile
}

describe('vault: rotate-secret-key', function () {
  this.timeout(300_000)
  let db: VaultDatabase
  let secret: string
  let personal: string
  let folder: string

  before(async () => {
    // In the clone, so that the bundle finds its packages.
    const cache = fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url))
    await mkdir(cache, { recursive: true })
    folder = await mkdtemp(join(cache, 'rotate-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const rotate = (more: Partial<RotateOptions> = {}): Promise<RotationResult> =>
    rotateSecretKey({ pool: db.pool, oldKey: keyA, newKey: keyB, random: randomBytes, ...more })
  const stored = (sealed: string): StoredSecret => ({
    what: 'webhook whk_1',
    sealed,
    purpose: 'webhook',
    aad: 'whk_1',
  })

  const expectEverythingOpens = async (vault: Vault): Promise<void> => {
    expect(vault.open('webhook', secret, 'whk_1').toString()).to.equal('whsec_x')
    await vault.ensureLoaded(['usr_a'])
    expect(vault.openFor('usr_a', personal, '')).to.equal('Ann')
  }

  beforeEach(async () => {
    db = await vaultDatabase()
    const vault = await db.open(keyA)
    secret = vault.seal('webhook', 'whsec_x', 'whk_1')
    await vault.createPersonKeys(['usr_a', 'usr_gone'])
    await vault.destroyPersonKey('usr_gone')
    personal = vault.sealFor('usr_a', 'Ann', '')
  })
  afterEach(() => db.close())

  it('CLI-03 afterwards everything decrypts with the new key only; a second run confirms it', async () => {
    const proven = { keyring: 2, personKeys: 1, secrets: 1 }
    const provers = [[stored(secret)]]
    expect(await rotate({ provers })).to.deep.equal({ outcome: 'rotated', proven })
    await expectEverythingOpens(await db.open(keyB))
    expect((await rejection(db.open(keyA))).message).to.contain('SVC_SECRET_KEY')
    expect(await rotate({ provers })).to.deep.equal({ outcome: 'already', proven })
  })

  it('CLI-03 is rejected while the service runs, and the service does not start while it runs', async () => {
    const service = new pg.Client({ connectionString: db.url })
    await service.connect()
    await holdServiceLock(service)
    expect((await rejection(rotate({ patience: 50 }))).message).to.contain('The service is running')
    await expectEverythingOpens(await db.open(keyA))
    await service.end()

    const starting = new pg.Client({ connectionString: db.url })
    await starting.connect()
    let refusal: Error | undefined
    const whileRotating = async function* (): AsyncGenerator<StoredSecret> {
      refusal = await rejection(holdServiceLock(starting))
      yield stored(secret)
    }
    await rotate({ provers: [whileRotating()] })
    expect(refusal?.message).to.contain('rotate-secret-key or accept-lost-secret-key is running')
    await holdServiceLock(starting)
    await starting.end()
  })

  it('CLI-03 rejects equal, short and wrong keys by name', async () => {
    const messageOf = async (more: Partial<RotateOptions>): Promise<string> =>
      (await rejection(rotate(more))).message
    expect(await messageOf({ newKey: keyA })).to.equal('SVC_NEW_SECRET_KEY must differ from SVC_SECRET_KEY.')
    expect(await messageOf({ newKey: 'short' })).to.match(/^SVC_NEW_SECRET_KEY must be at least 32/)
    expect(await messageOf({ oldKey: 'c'.repeat(40) })).to.match(/^SVC_SECRET_KEY is not the key/)
    await expectEverythingOpens(await db.open(keyA))
  })

  it('CLI-03 changes nothing if a stored secret or user key cannot be decrypted', async () => {
    const bad = stored(secret.slice(0, -4) + 'AAAA')
    expect((await rejection(rotate({ provers: [[stored(secret), bad]] }))).message).to.contain(
      'webhook whk_1',
    )
    await db.pool.query("update vault.person_key set wrapped = 'x' where subject = 'usr_a'")
    expect((await rejection(rotate())).message).to.contain('person key of usr_a')
    expect((await db.open(keyA)).open('webhook', secret, 'whk_1').toString()).to.equal('whsec_x')
  })

  it('CLI-03 killed at any step, everything decrypts with one of the keys and a second run finishes', async () => {
    const killedAt = new Set<string>()
    const child = await bundledChild(folder)
    for (let step = 1; ; step++) {
      const run = spawn(process.execPath, [child], {
        env: { ...process.env, SVC_DATABASE_URL: db.url, KILL_AFTER: String(step) },
        stdio: 'ignore',
      })
      const [code] = (await once(run, 'exit')) as [number | null]
      const opened: string[] = []
      for (const key of [keyA, keyB]) {
        const vault = await db.open(key).catch(() => null)
        if (vault) {
          await expectEverythingOpens(vault)
          opened.push(key)
        }
      }
      expect(opened, `after step ${step}`).to.have.length(1)
      if (code === 0) {
        expect(step, 'steps swept').to.be.greaterThan(8)
        break
      }
      expect(code, 'killed by a signal').to.equal(null)
      killedAt.add(opened[0]!)
      await rotate()
      await expectEverythingOpens(await db.open(keyB))
      expect(await db.open(keyA).catch(() => null)).to.equal(null)
      await rotate({ oldKey: keyB, newKey: keyA })
    }
    expect([...killedAt], 'killed both before and after the commit').to.have.members([keyA, keyB])
  })
})
