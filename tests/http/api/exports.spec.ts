import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import pg from 'pg'
import { exportKinds } from '../../../domain/export/events.ts'
import { exportCommands } from '../../../adapters/application/exports/exports.ts'
import { audited } from '../../support/audit/audit.ts'
import { fileOf, verifyExportFile } from '../../support/export/export-verifier.ts'
import { auditKey, exporting } from '../../support/export/exports.ts'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import { system } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { refusal, startPlace, success, type Json, type Place } from './support.ts'

const FORMULA = '=HYPERLINK("https://evil.example","x")'

describe('Exports', function () {
  this.timeout(120_000)
  let place: Place
  let exports: ReturnType<typeof exporting>
  let key: string
  before(async () => {
    place = await startPlace()
    exports = exporting(place.service, place.admin)
    key = await auditKey(place.service)
    const oidc = oidcWorld(place.service)
    const app = await oidc.application()
    await oidc.member(app)
    for (const name of ['Ada', 'Grace', FORMULA])
      success(await place.send('POST', '/users', { name, email: `${name.length}@example.com` }), 201)
    const gone = success(await place.send('POST', '/users', { name: 'Gone', email: 'gone@example.com' }), 201)
    await place.send('DELETE', `/users/${String(gone.id)}`)
  })
  after(() => place.service.stop())

  const usersIn = async (path: string, name = 'users.ndjson'): Promise<readonly Json[]> =>
    (await fileOf(path, name))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

  it('API-11 AUD-01 an export of everything is proved complete by a second program', async () => {
    const done = await exports.ready({ kinds: [...exportKinds] })
    const path = await exports.download(done.id)
    const { manifest, rows, withLog } = await verifyExportFile(path, key)
    expect(withLog).to.equal(true)
    expect(manifest).to.include({ exportId: done.id, position: done.position, checkpoint: done.checkpoint })
    expect(rows).to.include.keys(exportKinds.map((kind) => (kind === 'log' ? 'log.jsonl' : `${kind}.ndjson`)))
    expect(rows['log.jsonl']).to.equal(manifest.size)
    const { length } = success(await place.send('GET', '/users?limit=100'))
    expect(rows['users.ndjson']).to.equal(length)
    expect(Object.values(rows).reduce((sum, count) => sum + count, 0)).to.equal(done.rows)
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).to.equal(done.sha256)
  })

  it('API-11 CSV has the same rows, and no cell that a spreadsheet calculates', async () => {
    const at = new Date().toISOString()
    const [csv, ndjson] = [
      await exports.ready({ kinds: ['users', 'log'], format: 'csv', at }),
      await exports.ready({ kinds: ['users', 'log'], at }),
    ]
    const path = await exports.download(csv.id)
    await verifyExportFile(path, key)
    const text = (await fileOf(path, 'users.csv')).toString()
    const rows = parse(text, { columns: true }) as readonly Record<string, string>[]
    const users = await usersIn(await exports.download(ndjson.id))
    expect(rows.map(({ id }) => id)).to.deep.equal(users.map(({ id }) => id as string))
    for (const [n, row] of rows.entries()) {
      for (const cell of Object.values(row)) expect(cell).not.to.match(/^[=+\-@\t\r]/)
      expect(JSON.parse(row['methods'] ?? '')).to.deep.equal(users[n].methods)
    }
    expect(rows.map(({ name }) => name)).to.include(`'${FORMULA}`)
    expect(users.map(({ name }) => name as string)).to.include(FORMULA)
  })

  it('API-11 two exports of the same past time have the same files, whatever happened since', async () => {
    const at = new Date().toISOString()
    const kinds = exportKinds.filter((kind) => kind !== 'log')
    const files = async () => {
      const { id } = await exports.ready({ kinds, at })
      return (await verifyExportFile(await exports.download(id), key)).manifest.files
    }
    const before = await files()
    const user = success(await place.send('POST', '/users', { name: 'Late', email: 'late@example.com' }), 201)
    await place.send('PATCH', `/users/${String(user.id)}`, { name: 'Later' })
    expect(await files()).to.deep.equal(before)
  })

  it('API-11 an export can be downloaded once, by the session that proved itself, and both are audited', async () => {
    const other = await place.service.person({}, ['global_admin'])
    const { id, sha256 } = await exports.ready({ kinds: ['groups'] })
    const url = await exports.address(id)
    expect((await exports.fetchFile(url, other)).status).to.equal(403)
    expect((await exports.fetchFile(url.replace(/token=.{20}/, 'token=v1.x'))).status).to.equal(403)
    const head = await fetch(url, { method: 'HEAD', headers: { Cookie: place.admin.cookie } })
    expect(head.headers.get('content-disposition')).to.equal(
      `attachment; filename="export-${String(id)}.zip"`,
    )

    const broken = await exportCommands(place.service.core.services).download(String(id), system)
    broken.destroy()
    const bytes = Buffer.from(await (await exports.fetchFile(url)).arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).to.equal(sha256)
    // The download is recorded after its last byte has left.
    await until(async () => (await exports.find(id))['downloadable'] === false)
    const after = await exports.find(id)
    expect(after).to.include({ downloadable: false, status: 'ready' })
    refusal(await place.send('POST', `/export/${String(id)}/download`, {}), 409, 'ERR_CONFLICT')
    expect((await exports.fetchFile(url)).status).to.equal(409)

    await audited(place.service)
    const entries: Json[] = success(await place.send('GET', `/audit?targetId=${String(id)}`))
    expect(entries.map(({ action }) => action as string)).to.deep.equal([
      'export.download',
      'export.download',
      'export.create',
    ])
    expect(entries[0].summary).to.include(sha256)
    const { rows } = await place.service.core.workPool.query(
      'select from work.export_piece where export_id = $1',
      [id],
    )
    expect(rows).to.have.length(0)
  })

  it('API-11 only global administrators and auditors export, after a proof', async () => {
    const body = { kinds: ['users'], format: 'csv' }
    const stale = await place.service.signIn(place.admin.userId, place.admin.email, { age: 3600 })
    refusal(await place.as(stale)('POST', '/export', body), 401, 'ERR_REAUTH_REQUIRED')
    for (const role of ['security_admin', 'user_admin', 'helpdesk_admin', 'app_admin'] as const) {
      const person = await place.service.person({}, [role])
      refusal(await place.as(person)('POST', '/export', body), 403, 'ERR_FORBIDDEN')
      success(await place.as(person)('GET', '/export'))
    }
    refusal(await place.send('POST', '/export', { ...body, kinds: [] }), 422, 'ERR_INVALID', '/kinds')
    refusal(await place.send('POST', '/export', { ...body, kinds: ['secrets'] }), 422, 'ERR_INVALID')
    refusal(await place.send('POST', '/export', { ...body, at: 'yesterday' }), 422, 'ERR_INVALID', '/at')
  })

  it('API-11 the file is encrypted in the database, and a changed piece is not sent', async () => {
    const { id } = await exports.ready({ kinds: ['users'] })
    const { workPool } = place.service.core
    const { rows } = await workPool.query<{ content: Buffer }>(
      'select content from work.export_piece where export_id = $1',
      [id],
    )
    expect(rows).to.have.length(1)
    expect(rows[0]?.content.includes('users.ndjson')).to.equal(false)
    await workPool.query(
      `update work.export_piece set content = set_byte(content, 60, get_byte(content, 60) # 1) where export_id = $1`,
      [id],
    )
    const failed = await exports
      .fetchFile(await exports.address(id))
      .then((response) => response.arrayBuffer())
      .then(
        () => false,
        () => true,
      )
    expect(failed).to.equal(true)
    expect((await exports.find(id)).downloadable).to.equal(true)
  })

  it('API-11 a file is deleted, however long that takes', async () => {
    const { services, workPool } = place.service.core
    const pool = new pg.Pool({ connectionString: place.service.databaseUrl, statement_timeout: 1_000 })
    const commands = exportCommands({ ...services, pool })
    const pieces = async (id: string): Promise<number> => {
      const { rows } = await workPool.query('select from work.export_piece where export_id = $1', [id])
      return rows.length
    }
    const large = async (): Promise<string> => {
      const id = String((await exports.ready({ kinds: ['groups'] })).id)
      await workPool.query(
        `insert into work.export_piece (export_id, attempt, number, content)
         select id, attempt, n, '' from work.export, generate_series(1, 300) n where id = $1`,
        [id],
      )
      return id
    }
    await workPool.query(`
      create function work.slow_delete() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.005); return old; end $$;
      create trigger slow before delete on work.export_piece for each row execute function work.slow_delete()`)
    try {
      const sent = await large()
      for await (const chunk of await commands.download(sent, system)) expect(chunk).to.be.instanceOf(Buffer)
      expect(await pieces(sent)).to.equal(0)
      const deleted = await large()
      await commands.delete(deleted)
      expect(await pieces(deleted)).to.equal(0)
      refusal(await place.send('GET', `/export/${deleted}`), 404, 'ERR_NOT_FOUND')
      const expired = await large()
      await workPool.query(`update work.export set expires_at = now() where id = $1`, [expired])
      await commands.sweep()
      expect(await pieces(expired)).to.equal(0)
    } finally {
      await workPool.query('drop trigger slow on work.export_piece; drop function work.slow_delete()')
      await pool.end()
    }
  })

  it('API-11 an export that an instance left unfinished is written by the next one', async () => {
    const { workPool } = place.service.core
    const { id } = success(
      await place.send('POST', '/export', { kinds: ['users', 'log'], format: 'ndjson' }),
      202,
    )
    await workPool.query(
      `update work.export set status = 'running', leased_until = now() - interval '1 s',
      attempt = attempt + 1 where id = $1 and status <> 'ready'`,
      [id],
    )

    await until(async () => (await exports.find(id)).status === 'ready', 30_000)
    await verifyExportFile(await exports.download(id), key)
    success(await place.send('DELETE', `/export/${String(id)}`), 204)
    refusal(await place.send('GET', `/export/${String(id)}`), 404, 'ERR_NOT_FOUND')
  })
})
