/** Configuration as files: export, plan and apply on a real service. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { adminApi, type AdminApi } from '../../cli/client/admin-api.ts'
import { applyPlan, type NewSecret } from '../../cli/client/configuration/apply.ts'
import { readFiles, writeFiles } from '../../cli/client/configuration/files.ts'
import { kinds } from '../../cli/client/configuration/kinds.ts'
import { planOf, type Plan } from '../../cli/client/configuration/plan.ts'
import { lastChangeOf } from '../../cli/client/configuration/last-change.ts'
import { stepText, summaryText } from '../../cli/client/configuration/print.ts'
import { readSnapshot } from '../../cli/client/configuration/snapshot.ts'
import { CliError } from '../../cli/server/exit-codes.ts'
import { seedDemo } from '../../cli/server/seed-demo.ts'
import { apiKey } from '../support/api/api-keys.ts'
import { organization } from '../support/configuration/organization.ts'
import { computer } from '../support/oidc/svc-client.ts'
import { until } from '../support/until.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

/** Of the identity provider in the files, and the same one in exported files. */
const variables = { CONTOSO_SECRET: 'hush', IDENTITY_PROVIDERS_CONTOSO_CLIENT_SECRET: 'hush' }

describe('configuration as files', function () {
  this.timeout(120_000)
  const stops: (() => Promise<unknown>)[] = []
  /** Those of the test */
  const secrets: NewSecret[] = []
  let folder: string

  interface World {
    readonly service: TestService
    readonly api: AdminApi
    readonly admin: TestPerson
  }
  const world = async (): Promise<World> => {
    const service = await testService()
    stops.push(() => service.stop())
    const admin = await service.person({ name: 'Hedy Lamarr', email: 'hedy@example.com' }, ['global_admin'])
    const { key } = await apiKey(service, { roles: ['global_admin'] })
    return { service, admin, api: adminApi(service.publicUrl, key) }
  }
  beforeEach(async () => {
    Object.assign(process.env, variables)
    secrets.length = 0
    folder = await mkdtemp(join(tmpdir(), 'svc-config-'))
  })
  afterEach(async () => {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name)
    for (const stop of stops.splice(0)) await stop()
    await rm(folder, { recursive: true, force: true })
  })

  const keep = (secret: NewSecret): Promise<void> => {
    secrets.push(secret)
    return Promise.resolve()
  }
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, `${name}.yaml`), stringify(content))
  const writeAll = async (): Promise<void> => {
    for (const [name, content] of Object.entries(organization)) await write(name, content)
  }
  const plan = async ({ api }: World, prune = false): Promise<Plan> =>
    planOf(await readFiles(folder), (await readSnapshot(api)).snapshot, { prune, sendSecrets: false })
  const apply = async ({ api }: World, prune = false): Promise<Plan> => {
    const desired = await readFiles(folder)
    const { snapshot, names } = await readSnapshot(api, desired)
    const made = planOf(desired, snapshot, { prune, sendSecrets: false })
    await applyPlan(api, made, names, () => undefined, keep)
    return made
  }
  const exported = async ({ api }: World): Promise<Readonly<Record<string, string>>> => {
    const out = await mkdtemp(join(tmpdir(), 'svc-export-'))
    try {
      const paths = await writeFiles(out, (await readSnapshot(api)).snapshot)
      const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
      return Object.fromEntries(paths.map((path, at) => [path.slice(out.length + 1), texts[at] ?? '']))
    } finally {
      await rm(out, { recursive: true, force: true })
    }
  }
  const failure = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work
    } catch (error) {
      if (error instanceof CliError) return error.message
      throw error
    }
    return expect.fail('no error')
  }

  it('CLI-02 apply makes an empty service what the files say, and another plan is empty', async () => {
    const one = await world()
    await writeAll()
    const first = await apply(one)
    expect(first.steps.map(({ action, kind, key }) => `${action} ${kind} ${key}`.trim())).to.deep.equal([
      'update settings',
      ...['Operators', 'Berlin'].map((name) => `create groups ${name}`),
      ...['Office', 'Antarctica'].map((name) => `create network-zones ${name}`),
      'create api-resources https://api.example.com',
      ...['Billing', 'Report', 'Wiki'].map((name) => `create applications ${name}`),
      'create policies Operators in the office',
      ...['Finance reports', 'Payments'].map((name) => `create access-packages ${name}`),
      'create lifecycle-rules New colleagues in Berlin',
      ...['Contoso', 'Fabrikam', 'Woodgrove'].map((name) => `create identity-providers ${name}`),
      'update branding',
      'create ssh-principal-mappings Operators',
      'create webhooks https://hooks.example.com/identity',
    ])
    expect(secrets.map(({ record, secret }) => [record, typeof secret])).to.deep.equal([
      ['applications/Billing', 'string'],
      ['applications/Report', 'string'],
      ['webhooks/https://hooks.example.com/identity', 'string'],
    ])
    const again = await plan(one)
    expect(again, JSON.stringify(again)).to.deep.equal({ steps: [], unmanaged: [] })
  })

  it('CLI-02 an exported configuration, applied to another service, makes the same service', async () => {
    const [one, two] = [await world(), await world()]
    await writeAll()
    await apply(one)
    const files = await exported(one)
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    expect((await plan(one)).steps, 'unchanged').to.deep.equal([])
    await apply(two, true)
    expect(await exported(two)).to.deep.equal(files)
    const data = Object.values(files)
      .join('')
      .replaceAll(/^ *#.*$/gm, '')
    expect(data).not.to.match(/[a-z]{2,3}_01[0-9A-Z]{24}|hush/i)
  })

  it('CLI-02 what the service exports is a valid configuration, also of the demonstration', async () => {
    const one = await world()
    await seedDemo(one.service.core.services)
    for (const [name, text] of Object.entries(await exported(one))) await writeFile(join(folder, name), text)
    expect(await plan(one, true)).to.deep.equal({ steps: [], unmanaged: [] })
    const webhooks = join(folder, 'webhooks.yaml')
    const item = stringify([{ url: 'https://hooks.example.com/identity', events: ['user.*'] }])
    await writeFile(webhooks, (await readFile(webhooks, 'utf8')) + item)
    expect((await plan(one)).steps).to.have.length(1)
  })

  it('CLI-02 the plan names each changed field, who changed it last, and what only the service has', async () => {
    const one = await world()
    await writeAll()
    await apply(one)
    const { service, admin } = one
    const { body } = await service.api('GET', '/groups?q=Operators', { as: admin })
    await service.api('PATCH', `/groups/${String(body[0].id)}`, {
      as: admin,
      body: { description: 'Off call' },
    })
    await service.api('POST', '/groups', { as: admin, body: { name: 'Friends' } })
    const drift = await plan(one)
    const [step, ...others] = drift.steps
    expect(others).to.deep.equal([])
    if (step === undefined) expect.fail('no step')
    // The audit trail follows within moments.
    await until(async () => /Updated/.test((await lastChangeOf(one.api, step))?.summary ?? ''))
    const text = stepText(step, await lastChangeOf(one.api, step))
    expect(text).to.match(
      /^~ groups\/Operators {2}\(last changed .* by Hedy Lamarr: Updated the group Operators\)/,
    )
    expect(text).to.include('description: "Off call" → "On call"')
    expect(summaryText(drift)).to.include('Only in the service, and kept: groups/Friends.')
    const pruned = await plan(one, true)
    expect(pruned.steps.map(({ action, key }) => [action, key])).to.deep.equal([
      ['update', 'Operators'],
      ['delete', 'Friends'],
    ])
    await apply(one, true)
    expect(await plan(one, true)).to.deep.equal({ steps: [], unmanaged: [] })
  })

  it('CLI-02 apply deletes what is in use only after its uses, and says what still uses it', async () => {
    const one = await world()
    await writeAll()
    await apply(one)
    await write('groups', [])
    expect(await failure(apply(one, true))).to.match(/delete groups (Operators|Berlin): .*still in use by/)
    await write('applications', [])
    await write('policies', [])
    await write('access-packages', [])
    await write('lifecycle-rules', [])
    await write('identity-providers', [])
    await write('ssh-principal-mappings', [])
    await write('api-resources', [])
    await write('webhooks', [])
    await apply(one, true)
    expect((await plan(one, true)).steps).to.deep.equal([])
  })

  it('CLI-02 the second of two users who apply at once is told', async () => {
    const one = await world()
    await writeAll()
    await apply(one)
    await write('groups', [{ name: 'Operators', description: 'Changed here' }, { name: 'New' }])
    const { snapshot, names } = await readSnapshot(one.api)
    const made = planOf(await readFiles(folder), snapshot)
    const { body } = await one.service.api('GET', '/groups?q=Operators', { as: one.admin })
    const path = `/groups/${String(body[0].id)}`
    await one.service.api('PATCH', path, { as: one.admin, body: { description: 'Changed there' } })
    expect(await failure(applyPlan(one.api, made, names, () => undefined))).to.match(
      /^update groups Operators: .*It has changed since the plan was made: plan again\.$/,
    )
    const read = await one.service.api('GET', path, { as: one.admin })
    expect(read.body.description).to.equal('Changed there')
    await one.service.api('POST', '/groups', { as: one.admin, body: { name: 'New' } })
    const create = { ...made, steps: made.steps.filter(({ action }) => action === 'create') }
    expect(await failure(applyPlan(one.api, create, names, () => undefined))).to.match(
      /^create groups New: .*plan again\.$/,
    )
  })

  for (const [what, name, content, why] of [
    ['an unknown file', 'people', [], /expected one of settings\.yaml, groups\.yaml/],
    [
      'an unknown field',
      'groups',
      [{ name: 'A', members: [] }],
      /groups\.yaml: item 1 \(A\): members: is not a known field/,
    ],
    ['a wrong value', 'groups', [{ name: 'A' }, { name: 7 }], /item 2 \(7\): name: expected/],
    ['a missing key', 'groups', [{ description: 'x' }], /name: is missing/],
    ['a map in place of a list', 'groups', { name: 'A' }, /expected a list/],
    ['text in place of an item', 'groups', ['A'], /item 1: expected fields/],
    ['an id in place of a name', 'settings', { breakGlassUserId: null }, /not a known field/],
  ] as const)
    it(`CLI-02 ${what} is an error that names its place, and nothing changes`, async () => {
      await write(name, content)
      expect(await failure(readFiles(folder))).to.match(why)
    })

  it('CLI-02 an application that a policy names, and that is called ssh, is not mistaken for SSH certificates', async () => {
    const one = await world()
    const as = one.admin
    const redirectUris = ['https://ssh.example.com/']
    const { body: application } = await one.service.api('POST', '/applications', {
      as,
      body: { name: 'ssh', protocol: 'oidc', type: 'web', redirectUris },
    })
    const conditions = { applications: { include: [application.id] } }
    const body = { name: 'Web shell', action: 'require_strong', conditions }
    expect((await one.service.api('POST', '/policies', { as, body })).status).to.equal(201)
    expect(await failure(readSnapshot(one.api))).to.match(
      /the application ssh is called like a part of the service/,
    )
  })

  it('CLI-02 broken YAML, an empty folder and a missing one are errors', async () => {
    expect(await failure(readFiles(folder))).to.match(/there are no files such as groups\.yaml/)
    await writeFile(join(folder, 'groups.yaml'), '- name: [')
    expect(await failure(readFiles(folder))).to.match(/groups\.yaml: /)
    expect(await failure(readFiles(join(folder, 'nowhere')))).to.match(/expected a folder/)
  })

  it('CLI-02 two items with one name, a changed protocol and a name of nothing are refused', async () => {
    const one = await world()
    await write('groups', [{ name: 'A' }, { name: 'A' }])
    expect(await failure(plan(one))).to.equal('groups: A is described twice')
    await writeAll()
    await apply(one)
    await write('applications', [{ name: 'Wiki', protocol: 'oidc' }])
    expect(await failure(plan(one))).to.match(/applications: Wiki cannot get another protocol/)
    await write('applications', [
      {
        name: 'New',
        protocol: 'oidc',
        type: 'web',
        redirectUris: ['https://new.example.com/'],
        groups: ['Ghosts'],
      },
    ])
    expect(await failure(apply(one))).to.match(/groups: Ghosts does not exist/)
    expect((await readSnapshot(one.api)).snapshot.get('applications')?.has('New')).to.equal(false)
  })

  it('CLI-02 svc plan, apply and export-config: output, exit codes, and the schemas for editors', async () => {
    const one = await world()
    const { key } = await apiKey(one.service, { roles: ['global_admin'] })
    const laptop = await computer({ SVC_API_KEY: key, ...variables })
    stops.push(() => laptop.remove())
    const svc = (...args: readonly string[]) =>
      laptop.svc(...args, '-f', folder, '--server', one.service.publicUrl)
    await writeAll()
    const planned = await svc('plan', '--detailed-exitcode')
    expect(planned.code).to.equal(7)
    expect(planned.out).to.include('+ applications/Billing\n').and.to.include('17 to create, 2 to change')
    expect((await svc('plan')).code).to.equal(0)
    expect(JSON.parse((await svc('plan', '--json')).out).steps).to.have.length(19)
    const careless = await svc('apply')
    expect(careless.code).to.equal(2)
    expect(careless.err).to.match(/webhooks https:.*--secrets/)
    const nowhere = await svc('apply', '--secrets', join(folder, 'nowhere', 'secrets'))
    expect(nowhere.code).to.equal(2)
    expect(nowhere.err).to.match(/^svc: --secrets: cannot write /)
    const secretsFile = join(folder, 'secrets.ndjson')
    await writeFile(secretsFile, '', { mode: 0o644 })
    const applied = await svc('apply', '--secrets', secretsFile)
    expect(applied, applied.err).to.deep.include({ code: 0, err: '' })
    expect((await stat(secretsFile)).mode & 0o777).to.equal(0o600)
    expect(await readFile(secretsFile, 'utf8')).to.match(/"record":"applications\/Billing","clientId":"sv_/)
    expect(applied.out).to.match(
      /Done: 19 records changed\. Their audit entries have the correlation id pln_\w+\.\n$/,
    )
    expect(await svc('plan', '--detailed-exitcode')).to.deep.include({ code: 0 })
    expect((await svc('apply')).out).to.equal('The service is what the files say.\n')
    expect((await svc('export-config')).out.trim().split('\n')).to.have.length(12)
    expect(await readFile(join(folder, 'groups.yaml'), 'utf8')).to.match(
      /^# yaml-language-server: \$schema=schemas\/groups\.json\n/,
    )
    expect(JSON.parse(await readFile(join(folder, 'schemas', 'groups.json'), 'utf8'))).to.deep.include({
      type: 'array',
    })
    const stranger = await computer({ SVC_API_KEY: 'svk_wrong' })
    stops.push(() => stranger.remove())
    const refused = await stranger.svc('plan', '-f', folder, '--server', one.service.publicUrl)
    expect(refused.code).to.equal(3)
    const keyless = await laptop.svc('plan', '-f', folder)
    expect(keyless.code).to.equal(2)
    expect(keyless.err).to.match(/--server URL/)
  })

  it('CLI-02 an apply that is killed anywhere continues with the next one to the same end', async () => {
    const reference = await world()
    await writeAll()
    await apply(reference)
    const wanted = await exported(reference)
    const one = await world()
    const { key } = await apiKey(one.service, { roles: ['global_admin'] })
    const laptop = await computer({ SVC_API_KEY: key, ...variables })
    stops.push(() => laptop.remove())
    const options = [
      ...['-f', folder, '--server', one.service.publicUrl],
      ...['--secrets', join(laptop.home, 'secrets')],
    ]
    for (const lines of [1, 3, 2, 2]) {
      const run = laptop.run('apply', ...options)
      await until(() => run.out().split('\n').length > lines, 30_000, `line ${String(lines)} of svc apply`)
      run.kill()
      await run.ended
    }
    const last = await laptop.svc('apply', ...options)
    expect(last, last.err).to.deep.include({ code: 0 })
    expect(await exported(one)).to.deep.equal(wanted)
  })

  it('CLI-02 every kind has a key and a field for each property of its schema', () => {
    for (const { name, key, fields, schema } of kinds) {
      const { properties = {} } = schema as { properties?: object }
      expect(Object.keys(fields).sort(), name).to.deep.equal(Object.keys(properties).sort())
      if (key !== null) expect(fields).to.have.property(key)
    }
  })
})
