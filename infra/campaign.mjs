// `npm run campaign -- <name>`: long random runs of tests that CI runs short and with one seed, the whole suite with
// another seed, the mutation run, upgrades that are killed at every hundredth event, a rolling upgrade from the previous
// release, which it builds from its commit, every page on every screen, and tools of others, which it fetches:
// infra/docs/outside-tools.md.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { binOf, root, run, runMain, setup } from './setup.mjs'

/** How long a campaign is: in minutes, in random histories, in events of the log, or in kills. */
const lengths = {
  minutes: { variable: 'SVC_TEST_HOSTILE_MINUTES', usual: '10' },
  runs: { variable: 'SVC_CAMPAIGN_RUNS', usual: '50' },
  events: { variable: 'SVC_CAMPAIGN_EVENTS', usual: '4000' },
  kills: { variable: 'SVC_TEST_KILLS', usual: '60' },
}

const random = new Map([
  ['hostile', { specs: ['tests/hostile/**/*.spec.ts'], length: 'minutes' }],
  ['governance', { specs: ['tests/properties/governance.spec.ts'], length: 'runs' }],
  ['privilege', { specs: ['tests/properties/privilege.spec.ts'], length: 'runs' }],
  [
    'access',
    {
      specs: ['access', 'tokens', 'ssh', 'ssh-hosts', 'configuration'].map(
        (name) => `tests/properties/${name}.spec.ts`,
      ),
      length: 'runs',
    },
  ],
  [
    'contract',
    {
      specs: [
        'tests/properties/contract.spec.ts',
        ...['linters', 'scim', 'schemathesis'].map((name) => `tests/interop/outside/${name}.spec.ts`),
      ],
      length: 'runs',
    },
  ],
  ['upgrade', { specs: ['tests/faults/upgrade-interrupted.spec.ts'], length: 'events' }],
  ['kill', { specs: ['tests/faults/kill.spec.ts'], length: 'kills' }],
  ['availability', { specs: ['tests/properties/availability.spec.ts'], length: 'runs' }],
])

/** What takes no length: the specs of each. */
const fixed = new Map([
  ['rolling', ['tests/interop/releases/**/*.spec.ts']],
  ['pages', ['tests/web/pages.spec.ts', 'tests/web/journey.spec.ts', 'tests/web/console/*.spec.ts']],
  ['screenshots', ['tests/interop/screenshots/*.spec.ts']],
  ['keycloak', ['tests/interop/outside/keycloak.spec.ts']],
  [
    'clients',
    [
      ...['clients', 'sign-in'].map((name) => `tests/interop/outside/${name}.spec.ts`),
      'tests/protocol/clients/openid-client.spec.ts',
    ],
  ],
])

const usage = `usage: npm run campaign -- suite [--seed N]
       npm run campaign -- hostile [--minutes N] [--seed N]
       npm run campaign -- access | governance | privilege | availability [--runs N] [--seed N]
       npm run campaign -- contract [<part of a file name> …] [--runs N] [--seed N]
       npm run campaign -- clients [<part of a file name> …]
       npm run campaign -- kill [--kills N] [--seed N]
       npm run campaign -- rolling | pages | screenshots | keycloak
       npm run campaign -- upgrade [--events N]
       npm run campaign -- mutations [<part of a file name> …]
       npm run campaign -- conformance …`

const program = (name, parts) =>
  run(process.execPath, ['--import=tsx', join(root, `infra/campaign/${name}.ts`), ...parts])

await runMain(async () => {
  if (process.argv[2] === 'conformance') {
    await setup()
    process.exitCode = await program('conformance', process.argv.slice(3))
    return
  }
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string' },
      runs: { type: 'string' },
      events: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string' },
    },
  })
  const [name = '', ...parts] = positionals
  if (name === 'mutations') {
    await setup()
    process.exitCode = await program('mutation-run', parts)
    return
  }
  const wanted = (specs) =>
    specs.filter((spec) => parts.length === 0 || parts.some((part) => spec.includes(part)))
  const known = fixed.get(name)
  if (known !== undefined) {
    await setup()
    process.env.SVC_TEST_EVERY_SCREEN = '1'
    process.exitCode = await run(process.execPath, [binOf('mocha'), ...wanted(known)])
    return
  }
  const seed = values.seed ?? String(randomInt(2 ** 31))
  if (name === 'suite' && /^\d+$/.test(seed)) {
    console.log(`suite: seed ${seed}`)
    Object.assign(process.env, { CHOMA_SEED: seed, SVC_TEST_SEED: seed })
    process.exitCode = await run(process.execPath, [join(root, 'infra/test.mjs')])
    return
  }
  const campaign = random.get(name)
  const length = campaign && lengths[campaign.length]
  const long = campaign && (values[campaign.length] ?? length.usual)
  if (campaign === undefined || !/^\d+$/.test(seed) || !/^\d+(\.\d+)?$/.test(long)) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  await setup()
  console.log(`${name}: seed ${seed}, ${long} ${campaign.length}`)
  Object.assign(process.env, { SVC_TEST_SEED: seed, [length.variable]: long })
  process.exitCode = await run(process.execPath, [binOf('mocha'), ...wanted(campaign.specs)])
})
