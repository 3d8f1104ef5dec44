import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { audited, linesOf } from '../support/audit/audit.ts'
import { ocsfProblems } from '../support/audit/ocsf-schema.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const script = fileURLToPath(new URL('../../infra/siem/ship.mjs', import.meta.url))
const FIRST = 'aud_00000000000000000000000000'

describe('Shipping the audit trail to files', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let folder: string
  const running = new Set<ChildProcess>()
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['auditor', 'user_admin'])
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-siem-'))
  })
  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  after(() => service.stop())

  const start = (more: Record<string, string> = {}): { child: ChildProcess; said: () => string } => {
    const child = spawn(process.execPath, [script], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        SVC_SIEM_URL: service.publicUrl,
        SVC_SIEM_FOLDER: folder,
        SVC_SIEM_COOKIE: admin.cookie,
        SVC_SIEM_EVERY: '0.05',
        SVC_SIEM_MAX_BYTES: '3000',
        ...more,
      },
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    let said = ''
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString()
    })
    return { child, said: () => said }
  }
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return (await ended)[0]
  }
  const files = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).sort()
  const shipped = async () =>
    linesOf((await Promise.all((await files()).map((name) => readFile(join(folder, name), 'utf8')))).join(''))
  const ids = async (): Promise<string[]> =>
    (await shipped().catch(() => [])).map(({ id, metadata }) => (id ?? metadata.uid) as string)
  const feedIds = async (feed = `audit?after=${FIRST}`): Promise<string[]> => {
    const answer = await service.api('GET', `/${feed}`, {
      as: admin,
      headers: { Accept: 'application/x-ndjson' },
    })
    return linesOf(answer.body).map(({ id }) => id as string)
  }
  let made = 0
  const happen = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++)
      await service.api('POST', '/users', {
        as: admin,
        body: { email: `s${String(++made)}@example.com`, name: 'Shipped' },
      })
  }

  it('AUD-01 writes each entry once and in order, across kills at any time, incomplete lines and rotation', async () => {
    await happen(10)
    let writing = true
    const writer = happen(60).then(() => {
      writing = false
    })
    for (let round = 0; round < 6; round++) {
      const { child } = start()
      const before = (await ids()).length
      await until(async () => (await ids()).length > before || !writing, 30_000, 'a line more')
      await end(child, 'SIGKILL')
    }
    await writer
    await audited(service)
    const last = (await files()).at(-1) ?? ''
    await appendFile(join(folder, last), '{"id":"aud_01JZ0000000000')
    const { child } = start()
    await happen(5)
    await audited(service)
    const all = await feedIds()
    await until(async () => (await ids()).length >= all.length, 30_000, 'all entries')
    expect(await end(child, 'SIGTERM')).to.equal(0)
    expect(await ids()).to.deep.equal(all)
    expect((await files()).length).to.be.greaterThan(1)
  })

  it('AUD-01 continues a file that was started before a kill but not recorded', async () => {
    const first = start()
    for (let n = 0; (await files()).length < 2 && n < 50; n++) {
      const before = (await ids()).length
      await happen(1)
      await until(async () => (await ids()).length > before, 30_000, 'a line more')
    }
    await end(first.child, 'SIGTERM')
    // The state before the last file was started.
    const names = await files()
    const before = names.at(-2) ?? ''
    const text = await readFile(join(folder, before), 'utf8')
    const state = {
      after: (linesOf(text).at(-1) as { id: string }).id,
      file: Number(/(\d+)\.ndjson$/.exec(before)?.[1]),
      bytes: Buffer.byteLength(text),
    }
    await writeFile(join(folder, 'audit.state.json'), JSON.stringify(state))
    const { child } = start()
    await happen(1)
    await audited(service)
    const more = await feedIds()
    await until(async () => (await ids()).length >= more.length, 30_000, 'what came after')
    await end(child, 'SIGTERM')
    expect(await ids()).to.deep.equal(more)
  })

  it('AUD-01 handles OCSF and sign-ins the same way', async () => {
    await service.api('POST', '/auth/code', { body: { email: 'nobody@example.com', code: '000000' } })
    const { child } = start({ SVC_SIEM_FORMAT: 'ocsf', SVC_SIEM_FEED: 'sign-ins' })
    await until(async () => (await ids()).length > 0, 30_000, 'a sign-in')
    await end(child, 'SIGTERM')
    const events = await shipped()
    expect(events.flatMap((event) => ocsfProblems(event))).to.deep.equal([])
    expect(await ids()).to.deep.equal(await feedIds('sign-ins?after=evt_00000000000000000000000000'))
    expect(events[0]).to.deep.include({ type_uid: 300201, status: 'Failure', status_code: 'unknown_user' })
  })

  it('AUD-01 waits while the service returns errors, and reports missing settings', async () => {
    const refused = start({ SVC_SIEM_COOKIE: 'svc_session=nonsense' })
    await until(() => Promise.resolve(refused.said().includes('401')), 30_000, 'a word')
    await end(refused.child, 'SIGTERM')
    const { child, said } = start({ SVC_SIEM_FEED: 'everything' })
    expect((await once(child, 'exit'))[0]).to.equal(2)
    expect(said()).to.match(/SVC_SIEM_FEED must be audit or sign-ins/)
  })
})
