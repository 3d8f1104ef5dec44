/** Configuration plans as files, the secrets and users that files refer to, and what the audit trail says of an apply. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { signPlan } from '../../adapters/engines/audit/configuration-plan-note.ts'
import { auditSigner } from '../../adapters/engines/audit/signer.ts'
import type { PlanFile } from '../../domain/configuration-plan/plan.ts'
import { apiKey } from '../support/api/api-keys.ts'
import { computer, type Computer } from '../support/oidc/svc-client.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('configuration plans', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  let laptop: Computer
  let folder: string
  let planFile: string

  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Hedy Lamarr', email: 'hedy@example.com' }, ['global_admin'])
    const { key } = await apiKey(service, { roles: ['global_admin'] })
    laptop = await computer({ SVC_API_KEY: key, PROVIDER_SECRET: 'one' })
  })
  after(async () => {
    await laptop.remove()
    await service.stop()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-config-'))
    planFile = join(folder, 'plan.json')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const write = (name: string, content: unknown) =>
    writeFile(join(folder, `${name}.yaml`), stringify(content))
  const svc = (...args: readonly string[]) => laptop.svc(...args, '--server', service.publicUrl)
  const planned = async (): Promise<PlanFile> => {
    const made = await svc('plan', '-f', folder, '--out', planFile)
    expect(made, made.err).to.deep.include({ code: 0 })
    return JSON.parse(await readFile(planFile, 'utf8')) as PlanFile
  }
  const groups = async (name: string): Promise<readonly Record<string, unknown>[]> => {
    const query = new URLSearchParams({ q: name })
    const { body } = await service.api('GET', `/groups?${query.toString()}`, { as: admin })
    return body as readonly Record<string, unknown>[]
  }

  it('CLI-02 a plan names who made it, when, and at which position, and apply makes exactly its changes', async () => {
    await write('groups', [{ name: 'Reviewed', description: 'As planned' }])
    const { statement } = await planned()
    expect(statement.planId).to.match(/^pln_/)
    expect(statement.plannedBy.id).to.match(/^usr_/)
    expect(statement.position).to.match(/^\d/)
    await write('groups', [
      { name: 'Reviewed', description: 'Changed after the review' },
      { name: 'Sneaked in' },
    ])
    const applied = await svc('apply', '--plan', planFile)
    expect(applied, applied.err).to.deep.include({ code: 0 })
    expect(applied.out).to.include(
      `1 records changed. Their audit entries have the correlation id ${statement.planId}`,
    )
    expect((await groups('Reviewed'))[0]?.['description']).to.equal('As planned')
    expect(await groups('Sneaked in')).to.deep.equal([])
    await until(async () => {
      const { body } = await service.api('GET', `/audit?correlationId=${statement.planId}`, { as: admin })
      return (body as readonly { action: string }[]).some(({ action }) => action === 'group.create')
    })
    await write('groups', [{ name: 'Reviewed', description: 'Edited in the file' }])
    expect((await svc('plan', '-f', folder)).out).to.match(/groups\/Reviewed {2}\(last applied .* by Program/)
    const again = await svc('apply', '--plan', planFile)
    expect(again.code).to.equal(1)
    expect(again.err).to.match(/groups Reviewed has changed since the plan was made\. Plan again/)
  })

  it('CLI-02 all changes of one apply have one correlation id, which no other caller can choose', async () => {
    await write('groups', [{ name: 'First' }, { name: 'Second', description: 'x' }])
    await write('network-zones', [{ name: 'Lab', type: 'ip', cidrs: ['192.0.2.0/24'] }])
    const { out } = await svc('apply', '-f', folder)
    const planId = /pln_\w+/.exec(out)?.[0] ?? ''
    await until(async () => {
      const { body } = await service.api('GET', `/audit?correlationId=${planId}`, { as: admin })
      return (body as readonly unknown[]).length === 3
    })
    await service.api('POST', '/groups', {
      as: admin,
      body: { name: 'By a session' },
      headers: { 'X-Correlation-Id': planId },
    })
    const [group] = await groups('By a session')
    const entriesOf = async () =>
      (await service.api('GET', `/audit?targetId=${String(group?.['id'])}`, { as: admin })).body as readonly {
        correlationId: string
      }[]
    await until(async () => (await entriesOf()).length > 0)
    expect((await entriesOf())[0]?.correlationId).not.to.equal(planId)
  })

  it('CLI-02 a plan that was changed, of another service, or signed for something else is refused, and nothing changes', async () => {
    await write('groups', [{ name: 'Forged' }])
    const file = await planned()
    const applying = async (other: unknown): Promise<string> => {
      await writeFile(planFile, JSON.stringify(other))
      const { code, err } = await svc('apply', '--plan', planFile)
      expect(code).not.to.equal(0)
      return err
    }
    const { plan, statement } = file
    const [step] = plan.steps
    expect(await applying({ ...file, plan: { ...plan, steps: [step, step] } })).to.match(
      /digest: the plan has changed since it was made/,
    )
    expect(await applying({ ...file, statement: { ...statement, note: 'x' } })).to.match(
      /note: expected a statement of this service/,
    )
    const checkpoint = await service.api('GET', '/audit/checkpoint', { as: admin })
    expect(await applying({ ...file, statement: { ...statement, note: checkpoint.body.note } })).to.match(
      /note: expected a statement of this service/,
    )
    expect(await applying({ ...file, plan: { ...plan, server: 'https://other.example' } })).to.match(
      /is a plan for https:\/\/other\.example/,
    )
    expect(await applying({ plan })).to.match(/expected a file of "svc plan --out"/)
    expect(await groups('Forged')).to.deep.equal([])
    const ofLater = { ...plan, steps: [{ ...step, kind: 'robots' }] }
    const digest = createHash('sha256').update(JSON.stringify(ofLater)).digest('hex')
    const { body } = await service.api('POST', '/configuration/plans', { as: admin, body: { digest } })
    expect(await applying({ plan: ofLater, statement: body })).to.match(
      /names robots, which this version of svc/,
    )
    // The same plan, formatted anew, is the same plan. Its id is what the service signed.
    const renamed = { ...statement, planId: 'pln_01ARZ3NDEKTSV4RRFFQ69G5FAV' }
    await writeFile(planFile, JSON.stringify({ ...file, statement: renamed }))
    const applied = await svc('apply', '--plan', planFile)
    expect(applied, applied.err).to.deep.include({ code: 0 })
    expect(applied.out).to.include(statement.planId)
  })

  it('CLI-02 a statement of another service is not one of this service', async () => {
    const other = await testService()
    try {
      const { services } = other.core
      const signer = await auditSigner({ ...services, publicUrl: service.publicUrl })()
      const digest = 'ab'.repeat(32)
      const note = signPlan(signer, {
        planId: 'pln_01ARZ3NDEKTSV4RRFFQ69G5FAV',
        digest,
        plannedBy: { id: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV', name: 'Mallory' },
        plannedAt: '2026-01-02T03:04:05.000000Z',
        position: '1',
      })
      const answer = await service.api('POST', '/configuration/plans/verify', {
        as: admin,
        body: { digest, note },
      })
      expect(answer.status).to.equal(422)
      expect(answer.body.error).to.deep.include({ code: 'ERR_INVALID', field: '/note' })
    } finally {
      await other.stop()
    }
  })

  it('CLI-02 secrets come from the environment or a file, are in no plan, and are sent again only when asked', async () => {
    const provider = { type: 'oidc', issuer: 'https://login.example', clientId: 'svc' }
    const secret = join(folder, 'secret.txt')
    await writeFile(secret, 'two\n')
    await write('identity-providers', [
      { ...provider, name: 'By environment', clientSecret: { env: 'PROVIDER_SECRET' } },
      { ...provider, name: 'By file', issuer: 'https://other.example', clientSecret: { file: secret } },
    ])
    await planned()
    const applied = await svc('apply', '-f', folder)
    expect(applied, applied.err).to.deep.include({ code: 0 })
    expect(await readFile(planFile, 'utf8')).not.to.match(/"(?:one|two)"/)
    expect(await svc('plan', '-f', folder, '--detailed-exitcode')).to.deep.include({ code: 0 })
    const again = await svc('plan', '-f', folder, '--send-secrets')
    expect(again.out).to.include('clientSecret: "stored" → {"env":"PROVIDER_SECRET"}')
    expect(again.out).to.include('2 to change')
    const sent = await svc('apply', '-f', folder, '--send-secrets')
    expect(sent, sent.err).to.deep.include({ code: 0 })
    await write('identity-providers', [
      { ...provider, name: 'Nowhere', issuer: 'https://third.example', clientSecret: { env: 'NOT_SET' } },
    ])
    await write('groups', [{ name: 'Before the secret' }])
    const missing = await svc('apply', '-f', folder)
    expect(missing.code).to.equal(2)
    expect(missing.err).to.match(/environment variable NOT_SET: expected a secret/)
    expect(await groups('Before the secret')).to.deep.equal([])
    const out = await mkdtemp(join(tmpdir(), 'svc-export-'))
    try {
      await svc('export-config', '-f', out)
      const items = parse(await readFile(join(out, 'identity-providers.yaml'), 'utf8')) as readonly {
        clientSecret: unknown
      }[]
      expect(items.map(({ clientSecret }) => clientSecret)).to.deep.equal([
        { env: 'IDENTITY_PROVIDERS_BY_ENVIRONMENT_CLIENT_SECRET' },
        { env: 'IDENTITY_PROVIDERS_BY_FILE_CLIENT_SECRET' },
      ])
    } finally {
      await rm(out, { recursive: true, force: true })
    }
  })

  it('CLI-02 files name users by address; an unknown one is an error, and a deleted one keeps the id', async () => {
    await write('groups', [{ name: 'Payroll' }])
    const item = (owner: string) => ({ name: 'Payroll reports', groups: ['Payroll'], owners: [owner] })
    await write('access-packages', [item('nobody@example.com')])
    const unknown = await svc('plan', '-f', folder)
    expect(unknown.code).to.equal(1)
    expect(unknown.err).to.match(/users: nobody@example\.com does not exist/)
    const leaver = await service.person({ name: 'Leaver', email: 'leaver@example.com' })
    await write('access-packages', [item('Leaver@Example.com')])
    const applied = await svc('apply', '-f', folder)
    expect(applied, applied.err).to.deep.include({ code: 0 })
    expect(await svc('plan', '-f', folder, '--detailed-exitcode')).to.deep.include({ code: 0 })
    await service.api('DELETE', `/users/${leaver.userId}`, { as: admin })
    await until(async () => (await svc('plan', '-f', folder)).code !== 0)
    await svc('export-config', '-f', folder)
    const same = await svc('plan', '-f', folder, '--detailed-exitcode')
    expect(same, same.err + same.out).to.deep.include({ code: 0 })
  })

  it('CLI-02 a published package does not become a draft again, and an archived one can be created', async () => {
    await write('groups', [{ name: 'Archive' }])
    await write('access-packages', [{ name: 'Old', groups: ['Archive'], status: 'archived' }])
    const applied = await svc('apply', '-f', folder)
    expect(applied, applied.err).to.deep.include({ code: 0 })
    await write('access-packages', [{ name: 'Old', groups: ['Archive'], status: 'draft' }])
    const refused = await svc('apply', '-f', folder)
    expect(refused.code).to.equal(1)
    expect(refused.err).to.match(/a package that was published does not become a draft again/)
  })

  it('CLI-02 apply needs files or a plan, not both', async () => {
    const neither = await svc('apply')
    expect(neither.code).to.equal(2)
    expect(neither.err).to.match(/either the files with --dir, or a plan/)
    const both = await svc('apply', '-f', folder, '--plan', planFile)
    expect(both.code).to.equal(2)
    expect(both.err).to.match(/either the files with --dir, or a plan/)
  })
})
