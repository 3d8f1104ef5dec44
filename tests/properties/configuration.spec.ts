/** Configuration as files: after random edits and an apply, an export is what the files say. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc, { type Arbitrary } from 'fast-check'
import { parse, stringify } from 'yaml'
import { adminApi, type AdminApi } from '../../cli/client/admin-api.ts'
import { applyPlan } from '../../cli/client/configuration/apply.ts'
import { readFiles, writeFiles } from '../../cli/client/configuration/files.ts'
import type { Item, KindName } from '../../cli/client/configuration/kind.ts'
import { planOf } from '../../cli/client/configuration/plan.ts'
import { readSnapshot } from '../../cli/client/configuration/snapshot.ts'
import { apiKey } from '../support/api/api-keys.ts'
import { fromEnvironment, SEED } from '../support/random.ts'
import { testService, type TestService } from '../support/service/service.ts'

const PRUNE = { prune: true, sendSecrets: false }
const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', 8)

const GROUPS = ['Ada’s team', 'Berlin', 'C: "quoted", #1', 'Operators'] as const
const ZONES = ['Office', 'yes', '127'] as const
const APIS = ['https://api.example.com', 'urn:example:invoices'] as const
const PACKAGES = ['Reports', 'Payments'] as const
const APPROVER = 'hedy@example.com'
const stage = {
  approvers: { type: 'groups', names: ['Operators'] },
  mode: 'any',
  timeoutHours: 24,
  escalateTo: APPROVER,
  justificationRequired: true,
}
const APPLICATIONS = ['Billing', 'Null', 'Wiki'] as const

const description = fc.option(fc.constantFrom('One line', 'Two\nlines: with a colon', '- not a list', '~'))
const someOf = <T>(values: readonly T[]): Arbitrary<T[]> => fc.subarray([...values])
/** Each name at most once. */
const each = <T extends Item>(
  names: readonly string[],
  item: (name: string) => Arbitrary<T>,
): Arbitrary<T[]> => someOf(names).chain((chosen) => fc.tuple(...chosen.map(item)))

const configuration = fc.record({
  groups: fc.constant(GROUPS).chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.record({
          name: fc.constant(name),
          description,
          rule: fc.option(
            fc.constant({
              match: 'any',
              conditions: [{ attribute: 'location', operator: 'in', value: ['Berlin', 'no'] }],
            }),
          ),
        }),
      ),
    ),
  ),
  'network-zones': fc.tuple(
    ...ZONES.map((name) =>
      fc.record({
        name: fc.constant(name),
        type: fc.constant('ip'),
        cidrs: fc.uniqueArray(fc.constantFrom('192.0.2.7/24', '10.0.0.0/8', '2001:DB8::1'), { minLength: 1 }),
        trusted: fc.boolean(),
      }),
    ),
  ),
  'api-resources': fc.tuple(
    ...APIS.map((identifier, at) =>
      fc.record({
        identifier: fc.constant(identifier),
        name: fc.constantFrom('Invoices', 'Payments'),
        description,
        scopes: fc.constant([
          { name: `read${String(at)}` },
          { name: `write${String(at)}`, description: 'Write' },
        ]),
        ownerApplications: someOf(APPLICATIONS),
      }),
    ),
  ),
  applications: fc.tuple(
    ...APPLICATIONS.map((name) =>
      fc.record({
        name: fc.constant(name),
        protocol: fc.constant('oidc'),
        type: fc.constant('web'),
        status: fc.constantFrom('active', 'disabled'),
        description,
        visibleInPortal: fc.boolean(),
        redirectUris: fc.constantFrom(
          ['https://a.example.com/'],
          ['https://b.example.com/', 'https://a.example.com/'],
        ),
        groups: someOf(GROUPS),
        apiGrants: someOf([
          { api: APIS[0], scopes: ['read0'] },
          { api: APIS[1], scopes: ['write1', 'read1'] },
        ]),
      }),
    ),
  ),
  policies: each(['Admins', 'Everyone'], (name) =>
    fc.record({
      name: fc.constant(name),
      status: fc.constantFrom('disabled', 'report_only'),
      action: fc.constantFrom('allow', 'require_strong'),
      description,
      conditions: fc.record({
        users: fc.record({
          include: fc.constantFrom('all', ['Berlin', 'Operators']),
          exclude: someOf(['Ada’s team']),
        }),
        applications: fc.record({ include: fc.constantFrom('all', ['ssh', 'Billing'], ['portal']) }),
        zones: fc.record({ exclude: someOf(ZONES) }),
      }),
    }),
  ),
  'access-packages': fc.tuple(
    ...PACKAGES.map((name, at) =>
      fc.record({
        name: fc.constant(name),
        description,
        status: fc.constantFrom('published', 'archived'),
        groups: fc.constantFrom(['Berlin'], ['Operators', 'Berlin']),
        requesters: fc.constantFrom(
          { scope: 'everyone', groups: [] },
          { scope: 'groups', groups: ['Operators', 'Berlin'] },
        ),
        approval: fc.constantFrom({ required: false, stages: [] }, { required: true, stages: [stage] }),
        duration: fc.option(
          fc.constantFrom(
            { requesterMayChoose: false, default: 'P7D' },
            { requesterMayChoose: true, default: 'P7D', max: 'P90D' },
          ),
        ),
        incompatiblePackages: at === 0 ? someOf(['Payments']) : fc.constant([]),
        owners: someOf([APPROVER]),
        review: fc.option(
          fc.constant({ everyDays: 30, reviewers: { type: 'owners', names: [], fallbacks: [APPROVER] } }),
        ),
      }),
    ),
  ),
  'lifecycle-rules': each(['Joiners', 'null'], (name) =>
    fc.record({
      name: fc.constant(name),
      enabled: fc.boolean(),
      trigger: fc.constantFrom(
        { type: 'group_joined', group: 'Berlin' },
        { type: 'assignment_expiring', package: 'Reports', days: 7 },
        { type: 'on_end_date', atTime: '09:00' },
      ),
      actions: fc
        .subarray([
          { type: 'add_to_group', group: 'Operators' },
          { type: 'assign_package', package: 'Payments', duration: 'P30D' },
          { type: 'send_email', to: 'users', users: [APPROVER], subject: '~', text: 'One\nTwo' },
          { type: 'end_sessions', continueOnError: false },
        ])
        .filter(({ length }) => length > 0),
      category: fc.option(fc.constantFrom('joiner', 'leaver')),
    }),
  ),
  'identity-providers': each(['Contoso', 'Fabrikam'], (name) =>
    fc.record({
      name: fc.constant(name),
      type: fc.constant('oidc'),
      issuer: fc.constant(`https://${name.toLowerCase()}.example`),
      clientId: fc.constantFrom('svc', '007'),
      clientAuthentication: fc.constant('private_key_jwt'),
      attributeMapping: fc.constantFrom({ email: 'mail' }, { email: 'email', groups: 'roles' }),
      groupMapping: someOf([
        { value: 'ops', group: 'Operators' },
        { value: 'yes', group: 'Berlin' },
      ]),
      jitGroups: someOf(GROUPS),
      enabled: fc.boolean(),
    }),
  ),
  branding: fc.record({ accentColor: fc.option(fc.constantFrom('#0F5F66', '#abcdef')) }),
  'ssh-principal-mappings': each(GROUPS, (group) =>
    fc.record({
      group: fc.constant(group),
      principals: fc.uniqueArray(fc.constantFrom('root', 'deploy', 'web'), { minLength: 1 }),
      maxValiditySeconds: fc.option(fc.constantFrom(300, 3600)),
      extensions: someOf(['permit-user-rc', 'permit-pty']),
    }),
  ),
})

describe('configuration as files after random edits', function () {
  this.timeout(120_000 + RUNS * 15_000)
  let service: TestService
  let api: AdminApi
  let folder: string

  before(async () => {
    service = await testService()
    await service.person({ name: 'Hedy Lamarr', email: APPROVER }, ['global_admin'])
    api = adminApi(service.publicUrl, (await apiKey(service, { roles: ['global_admin'] })).key)
    folder = await mkdtemp(join(tmpdir(), 'svc-config-'))
  })
  after(async () => {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const write = async (files: Readonly<Record<string, unknown>>): Promise<void> => {
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, `${name}.yaml`), stringify(content))
  }
  const apply = async (): Promise<number> => {
    const desired = await readFiles(folder)
    const { snapshot, names } = await readSnapshot(api, desired)
    const plan = planOf(desired, snapshot, PRUNE)
    await applyPlan(api, plan, names, () => undefined)
    return plan.steps.length
  }
  const planned = async () => planOf(await readFiles(folder), (await readSnapshot(api)).snapshot, PRUNE).steps
  const namesIn = (kind: KindName, content: readonly Item[]): readonly string[] =>
    content
      .map((item) =>
        String(
          item[
            kind === 'api-resources' ? 'identifier' : kind === 'ssh-principal-mappings' ? 'group' : 'name'
          ],
        ),
      )
      .sort()

  it('CLI-02 apply and export are the identity on what files can say', async () => {
    await fc.assert(
      fc.asyncProperty(configuration, async (files) => {
        await write(files)
        await apply()
        expect(await planned(), 'another plan').to.deep.equal([])
        const out = await mkdtemp(join(tmpdir(), 'svc-export-'))
        try {
          await writeFiles(out, (await readSnapshot(api)).snapshot)
          for (const [kind, content] of Object.entries(files)) {
            const text = await readFile(join(out, `${kind}.yaml`), 'utf8')
            if (Array.isArray(content))
              expect(namesIn(kind as KindName, (parse(text) ?? []) as Item[]), kind).to.deep.equal(
                namesIn(kind as KindName, content),
              )
            // Back again: what was exported changes nothing.
            await writeFile(join(folder, `${kind}.yaml`), text)
          }
          expect(await planned(), 'a plan of the export').to.deep.equal([])
        } finally {
          await rm(out, { recursive: true, force: true })
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
  })
})
