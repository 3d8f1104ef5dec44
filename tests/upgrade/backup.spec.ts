/** Backups: what they contain, what a restored installation can do, and which files are rejected. */
import { expect } from 'chai'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { treeState } from '../../adapters/engines/audit/tree.ts'
import { decrypted, encrypted, MAGIC } from '../../adapters/engines/backup/cipher.ts'
import { backUp, type BackupReport } from '../../cli/server/backup.ts'
import { restore } from '../../cli/server/restore.ts'
import { verifyLive } from '../../cli/server/audit.ts'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import type { Config } from '../../cli/server/config.ts'
import { testDatabase } from '../support/service/postgres.ts'
import { recordingLog, testPlace, testService, type TestPlace } from '../support/service/service.ts'
import { embeddedPlace, openFolder } from '../support/upgrade/embedded.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

const quiet = () => undefined
const passphrase = 'correct horse battery staple'

const rejection = async (work: Promise<unknown>): Promise<Error & { exitCode?: number }> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error as Error,
  )

describe('A backup', function () {
  this.timeout(240_000)
  let folder: Awaited<ReturnType<typeof openFolder>>
  let place: TestPlace
  let passphraseFile: string
  beforeEach(async () => {
    folder = await openFolder()
    place = await testPlace()
    passphraseFile = join(folder.path, 'passphrase')
    await writeFile(passphraseFile, `${passphrase}\n`)
    if (place.config.eventStore.kind === 'eventstoredb')
      place = {
        ...place,
        config: { ...place.config, eventStore: { kind: 'database' }, eventStorePrefix: '' },
      }
  })
  afterEach(async () => {
    await place.drop()
    await folder.remove()
  })

  const fileOf = (name: string): string => join(folder.path, name)
  const take = (config: Config, out: string, encrypted?: 'encrypted'): Promise<BackupReport> =>
    backUp(config, recordingLog(), {
      out,
      passphraseFile: encrypted === undefined ? undefined : passphraseFile,
      progressed: quiet,
    })
  const putBack = (config: Config, file: string, encrypted?: 'encrypted') =>
    restore(config, recordingLog(), {
      file,
      passphraseFile: encrypted === undefined ? undefined : passphraseFile,
      progressed: quiet,
    })
  /** The same service on another, empty database. */
  const elsewhere = async (): Promise<TestPlace> => {
    const database = await testDatabase()
    return {
      ...place,
      databaseUrl: database.url,
      config: { ...place.config, database: { kind: 'postgres', url: database.url } },
      drop: () => database.drop(),
    }
  }
  const tablesOf = async (url: string): Promise<number> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rowCount } = await client.query(
      `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('log', 'vault', 'work', 'proof', '${READ_MODELS}')`,
    )
    await client.end()
    return rowCount ?? 0
  }
  /** A service with a little data, stopped. */
  const seeded = async () => {
    const service = await testService(place)
    const admin = await service.person({ name: 'Ada Lovelace' }, ['global_admin'])
    await service.api('POST', '/groups', { as: admin, body: { name: 'Engineering \u0007"\\ 🌍' } })
    const head = await service.core.eventLog.head()
    await until(async () => (await treeState(service.core.workPool)).position >= head)
    await service.stop()
    return admin
  }

  it('captures one moment while the service goes on writing, and all users can sign in after the restore', async () => {
    const service = await testService(place)
    const admin = await service.person({ name: 'Ada Lovelace' }, ['global_admin'])
    let writing = true
    const written = (async () => {
      let groups = 0
      for (; writing; groups++)
        await service.api('POST', '/groups', { as: admin, body: { name: `Group ${String(groups)}` } })
      return groups
    })()
    await until(async () => {
      const { body } = await service.api('GET', '/groups', { as: admin })
      return body.length > 5
    })
    const report = await take(place.config, fileOf('b'))
    writing = false
    const all = await written
    await service.stop()
    expect(report.events).to.be.greaterThan(6)

    const other = await elsewhere()
    const restored = await putBack(other.config, fileOf('b'))
    expect(restored).to.deep.include({ events: report.events, rows: report.rows, tree: report.tree })
    const verification = await verifyLive(other.config, recordingLog(), { key: undefined, checkpoint: [] })
    expect(verification.findings).to.deep.equal([])
    const { differences } = await rebuildReadModels(other.config, recordingLog(), true)
    expect(differences).to.deep.equal([])

    const again = await testService(other)
    const { status, body } = await again.api('GET', '/groups?limit=200', { as: admin })
    expect(status).to.equal(200)
    expect(body.length).to.be.greaterThan(5).and.at.most(all)
    const { status: created } = await again.api('POST', '/groups', { as: admin, body: { name: 'After' } })
    expect(created).to.equal(201)
    await again.stop()
    await other.drop()
  })

  it('of an embedded installation contains the secret key, and is encrypted with a passphrase', async () => {
    const [first, second] = [fileOf('first'), fileOf('second')]
    const from = await embeddedPlace(first)
    const service = await testService(from)
    const admin = await service.person({ name: 'Ada Lovelace' }, ['global_admin'])
    await service.stop()
    const key = await readFile(join(first, 'secret-key'), 'utf8')
    const report = await take(from.config, fileOf('b'), 'encrypted')
    expect(report).to.include({ secretKey: true, encrypted: true })
    expect((await stat(fileOf('b'))).mode & 0o777).to.equal(0o600)
    const bytes = await readFile(fileOf('b'))
    expect(bytes.includes(key.trim())).to.equal(false)
    expect(bytes.includes('log.event')).to.equal(false)

    const to = { ...from, config: { ...from.config, dataDir: second } }
    await putBack(to.config, fileOf('b'), 'encrypted')
    expect(await readFile(join(second, 'secret-key'), 'utf8')).to.equal(key)
    expect((await stat(join(second, 'secret-key'))).mode & 0o777).to.equal(0o600)
    const again = await testService(to)
    const { body } = await again.api('GET', '/me', { as: admin })
    expect(body.name).to.equal('Ada Lovelace')
    await again.stop()

    const twice = await rejection(putBack(to.config, fileOf('b'), 'encrypted'))
    expect(twice.message).to.match(/Restore needs an empty database, but .+ contains /)
    const third = await embeddedPlace(first)
    await from.drop()
    await third.drop()
  })

  it('is not restored at all if it was changed, cut off or is unreadable', async () => {
    await seeded()
    await take(place.config, fileOf('plain'))
    await take(place.config, fileOf('sealed'), 'encrypted')
    const other = await elsewhere()
    const refused = async (name: string, bytes: Buffer, encrypted?: 'encrypted'): Promise<string> => {
      await writeFile(fileOf(name), bytes)
      const { message, exitCode } = await rejection(putBack(other.config, fileOf(name), encrypted))
      expect(exitCode, message).to.equal(1)
      expect(await tablesOf(other.databaseUrl)).to.equal(0)
      return message
    }
    const plain = await readFile(fileOf('plain'))
    const sealed = await readFile(fileOf('sealed'))
    const text = plain.toString()
    expect(await refused('cut', plain.subarray(0, plain.length - 1))).to.contain('it is cut off')
    const lines = text.trimEnd().split('\n')
    expect(await refused('no-end', Buffer.from(`${lines.slice(0, -1).join('\n')}\n`))).to.contain(
      'it is cut off',
    )
    expect(await refused('changed', Buffer.from(text.replace('user.invited', 'user.invitex')))).to.contain(
      'it was changed',
    )
    const withoutRow = lines.filter((line) => !line.includes('user.invited'))
    expect(await refused('row', Buffer.from(`${withoutRow.join('\n')}\n`))).to.contain('it was changed')
    expect(await refused('more', Buffer.concat([plain, plain]))).to.contain('something follows its end')
    expect(await refused('other', Buffer.from('hello\n'))).to.contain('a line is not JSON')
    expect(await refused('empty', Buffer.alloc(0))).to.contain('it is cut off')

    const flipped = Buffer.from(sealed)
    flipped[sealed.length >> 1]! ^= 1
    expect(await refused('flipped', flipped, 'encrypted')).to.contain('changed')
    expect(await refused('short', sealed.subarray(0, -20), 'encrypted')).to.contain('it is cut off')
    await writeFile(passphraseFile, 'another passphrase')
    expect(await refused('wrong', sealed, 'encrypted')).to.contain('the passphrase is wrong')
    const without = await rejection(putBack(other.config, fileOf('sealed')))
    expect(without)
      .to.deep.include({ exitCode: 2 })
      .and.to.match(/--passphrase-file is required/)
    await other.drop()
  })

  it('is not restored if the log was changed in the database, because the audit root differs', async () => {
    await seeded()
    const client = new pg.Client({ connectionString: place.databaseUrl })
    await client.connect()
    await client.query(
      `update log.event set data = replace(data, '}', ',"x":1}') where type = 'session.started'`,
    )
    await client.end()
    await take(place.config, fileOf('b'))
    const other = await elsewhere()
    const { message } = await rejection(putBack(other.config, fileOf('b')))
    expect(message).to.contain('its log has another audit root')
    expect(await tablesOf(other.databaseUrl)).to.equal(0)
    await other.drop()
  })

  it('needs its own secret key, an empty database, and a release that supports it', async () => {
    await seeded()
    await take(place.config, fileOf('b'))
    const other = await elsewhere()
    const key = await rejection(putBack({ ...other.config, secretKey: 'x'.repeat(43) }, fileOf('b')))
    expect(key).to.include({ exitCode: 2 })
    expect(key.message).to.contain('SVC_SECRET_KEY is not the key')
    expect(await tablesOf(other.databaseUrl)).to.equal(0)
    const full = await rejection(putBack(place.config, fileOf('b')))
    expect(full).to.include({ exitCode: 2 })
    expect(full.message).to.contain('Restore needs an empty database')
    expect(await rejection(take(place.config, fileOf('b')))).to.include({ exitCode: 2 })

    const client = new pg.Client({ connectionString: place.databaseUrl })
    await client.connect()
    await client.query(`insert into work.event_type values ('user.teleported', 1, '0.10.0')`)
    await client.end()
    const newer = await rejection(take(place.config, fileOf('newer')))
    expect(newer.message).to.equal('This database was upgraded by svc 0.10.0. Run svc 0.10.0 or newer.')
    await other.drop()
  })

  it('is rejected if the log is in EventStoreDB, with the alternative', async () => {
    const config: Config = { ...place.config, eventStore: { kind: 'eventstoredb', url: 'esdb://localhost' } }
    for (const work of [take(config, fileOf('b')), putBack(config, fileOf('b'))])
      expect((await rejection(work)).message).to.match(/names EventStoreDB.*infra\/docs\/backup\.md/)
  })
})

describe('The encryption of a backup', function () {
  this.timeout(60_000)
  const bytes = Buffer.alloc(150_000, 'some text ')
  const collect = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
    const parts: Buffer[] = []
    for await (const part of source) parts.push(part)
    return Buffer.concat(parts)
  }
  const stream = async function* (whole: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let from = 0; from < whole.length; from += size) yield whole.subarray(from, from + size)
    await Promise.resolve()
  }
  const open = (whole: Buffer, size = 10_000): Promise<Buffer> =>
    collect(decrypted(stream(whole.subarray(MAGIC.length), size), passphrase))
  const CHUNK = 4 + 65_536 + 16
  const HEAD = MAGIC.length + 16

  it('preserves every byte, however it is split into pieces', async () => {
    for (const [length, size] of [
      [0, 1],
      [65_536, 97],
      [65_537, 10_000],
      [150_000, 1_000_000],
    ] as const) {
      const sealed = await collect(encrypted(stream(bytes.subarray(0, length), 7000), passphrase))
      expect((await open(sealed, size)).equals(bytes.subarray(0, length))).to.equal(true)
    }
  })

  it('notices chunks that are missing, swapped, repeated or appended', async () => {
    const sealed = await collect(encrypted(stream(bytes, 7000), passphrase))
    const head = sealed.subarray(0, HEAD)
    const chunks = [0, 1, 2].map((n) => sealed.subarray(HEAD + n * CHUNK, HEAD + (n + 1) * CHUNK))
    const [a, b, c] = chunks as [Buffer, Buffer, Buffer]
    const last = Buffer.from(b)
    last.writeUInt32BE(last.readUInt32BE() + 0x8000_0000)
    for (const parts of [
      [a],
      [a, b],
      [b, a, c],
      [a, a, b, c],
      [a, c],
      [a, last],
      [a, b, c, c],
      [a, b, c.subarray(1)],
    ])
      expect((await rejection(open(Buffer.concat([head, ...parts])))).name).to.equal('BackupDamaged')
  })
})
