/**
 * Runs certification plans of a conformance suite of the OpenID Foundation that is already running, against a service
 * that is too: enrols the first administrator as the test user, creates the clients, drives every module with a browser,
 * and prints the results as the table of infra/docs/conformance.md. The exit code is 1 if a module failed.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPerson, type Person } from './conformance-person.ts'
import { suiteAt, type Finding, type Plan, type Suite, type SuiteModule } from './conformance-suite.ts'

/** Both clients of a plan, under an alias of the suite. */
interface Clients {
  readonly alias: string
  readonly first: Client
  readonly second: Client
}

interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

interface Verdict {
  readonly name: string
  readonly result: string
  readonly findings: readonly Finding[]
}

const authentication = { server_metadata: 'discovery', client_registration: 'static_client' }
const logout = { client_registration: 'static_client', response_type: 'code' }
const plans = new Map<string, { readonly plan: string; readonly variant: object; readonly notified?: true }>([
  ['config', { plan: 'oidcc-config-certification-test-plan', variant: {} }],
  ['basic', { plan: 'oidcc-basic-certification-test-plan', variant: authentication }],
  ['form-post', { plan: 'oidcc-formpost-basic-certification-test-plan', variant: authentication }],
  ['logout', { plan: 'oidcc-rp-initiated-logout-certification-test-plan', variant: logout }],
  [
    'back-channel',
    {
      plan: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
      variant: logout,
      notified: true,
    },
  ],
])

const usage = `usage: npm run campaign -- conformance --suite URL --service URL --enroll LINK
         [--alias NAME] [--results FOLDER] [${[...plans.keys()].join(' | ')} …]`

const LIMIT_MS = 120_000
const POLL_MS = 250
/** Rounds without an address to open, after which a missing screenshot is of the last visit. */
const QUIET_ROUNDS = 6
const TOLD = ['WARNING', 'FAILURE', 'INTERRUPTED']
const COLUMNS = ['PASSED', 'WARNING', 'REVIEW', 'SKIPPED', 'FAILED']

const person = { name: 'Ada Conformance', email: 'ada@conformance.test' }
const profile = {
  ...{ givenName: 'Ada', familyName: 'Conformance', phone: '+44 20 7946 0000' },
  ...{ locale: 'en-GB', timeZone: 'Europe/London' },
}

const clientsOf = async (
  { api }: Person,
  suite: string,
  alias: string,
  isNotified: boolean,
): Promise<Clients> => {
  const { id: userId } = await api<{ id: string }>('GET', '/me')
  const { id: groupId } = await api<{ id: string }>('POST', '/groups', { name: `Conformance ${alias}` })
  await api('PUT', `/groups/${groupId}/members/${userId}`)
  const at = (path: string) => `${suite}/test/a/${alias}/${path}`
  const client = async (nth: string): Promise<Client> => {
    const made = await api<Client & { id: string }>('POST', '/applications', {
      name: `Conformance ${alias} ${nth}`,
      protocol: 'oidc',
      type: 'web',
      requirePkce: false,
      redirectUris: [at('callback')],
      postLogoutRedirectUris: [at('post_logout_redirect')],
      ...(isNotified ? { backchannelLogoutUri: at('backchannel_logout') } : {}),
    })
    await api('PUT', `/applications/${made.id}/groups/${groupId}`)
    return made
  }
  return { alias, first: await client('first'), second: await client('second') }
}

const configurationOf = (service: string, { alias, first, second }: Clients) => {
  const credentials = ({ clientId, clientSecret }: Client) => ({
    client_id: clientId,
    client_secret: clientSecret,
  })
  return {
    alias,
    server: { discoveryUrl: `${service}/.well-known/openid-configuration` },
    client: credentials(first),
    client_secret_post: credentials(first),
    client2: credentials(second),
  }
}

/** Drives one module to its end. @param keep stores a screenshot that is uploaded */
const runModule = async (
  suite: Suite,
  browser: Person,
  plan: Plan,
  module: SuiteModule,
  keep: (png: Buffer) => Promise<void>,
): Promise<Verdict> => {
  await browser.leave()
  const run = await suite.start(plan.id, module)
  const ends = Date.now() + LIMIT_MS
  let shot: Buffer | undefined
  let quiet = 0
  for (;;) {
    const { status, result = 'UNKNOWN' } = await suite.state(run)
    if (status === 'FINISHED' || status === 'INTERRUPTED' || Date.now() > ends) {
      if (Date.now() > ends) await suite.stop(run)
      const findings = await suite.log(run)
      return {
        name: module.testModule,
        result: status === 'FINISHED' ? result : 'FAILED',
        findings,
      }
    }
    const [next] = await suite.visits(run)
    if (next !== undefined) {
      quiet = 0
      await suite.visited(run, next)
      shot = (await browser.visit(next)).shot
      continue
    }
    // A module creates the place for a screenshot shortly before the address that the screenshot is of.
    if (++quiet > QUIET_ROUNDS && shot !== undefined)
      for (const placeholder of await suite.wanted(run)) {
        await keep(shot)
        await suite.upload(run, placeholder, shot)
      }
    await pause(POLL_MS)
  }
}

const told = ({ findings }: Verdict): string =>
  [...new Set(findings.flatMap(({ result, src }) => (TOLD.includes(result ?? '') ? [src] : [])))].join(', ')

const row = (plan: string, verdicts: readonly Verdict[]): string => {
  const counts = COLUMNS.map((column) => verdicts.filter(({ result }) => result === column).length)
  return `| \`${plan}\` | ${[verdicts.length, ...counts].join(' | ')} |`
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      suite: { type: 'string' },
      service: { type: 'string' },
      enroll: { type: 'string' },
      alias: { type: 'string' },
      results: { type: 'string' },
    },
  })
  const { suite: suiteUrl, service: serviceUrl, enroll } = values
  const wanted = positionals.length === 0 ? [...plans.keys()] : positionals
  if (
    suiteUrl === undefined ||
    serviceUrl === undefined ||
    enroll === undefined ||
    !wanted.every((name) => plans.has(name))
  ) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const { origin } = new URL(suiteUrl)
  const service = new URL(serviceUrl).origin
  const results = values.results ?? join('.data', 'conformance')
  const alias = values.alias ?? `svc-${randomBytes(4).toString('hex')}`
  const suite = suiteAt(origin, process.env['CONFORMANCE_TOKEN'])
  const version = await suite.version()
  const browser = await openPerson(origin, service)
  const rows: string[] = []
  try {
    await browser.enroll(enroll, person)
    const { id } = await browser.api<{ id: string }>('GET', '/me')
    await browser.api('PATCH', `/users/${id}`, profile)
    // Every other plan takes a logout notice for a failure, so only one pair of clients gets them.
    const plain = await clientsOf(browser, origin, alias, false)
    const notified = await clientsOf(browser, origin, `${alias}-back`, true)
    for (const { plan, variant, notified: isNotified } of wanted.flatMap((name) => plans.get(name) ?? [])) {
      const folder = join(results, plan)
      await mkdir(folder, { recursive: true })
      const made = await suite.createPlan(
        plan,
        variant,
        configurationOf(service, isNotified === true ? notified : plain),
      )
      const verdicts: Verdict[] = []
      for (const [nth, module] of made.modules.entries()) {
        const file = join(folder, `${String(nth + 1).padStart(2, '0')}-${module.testModule}`)
        const verdict = await runModule(suite, browser, made, module, (png) => writeFile(`${file}.png`, png))
        await writeFile(`${file}.json`, JSON.stringify(verdict, null, 1))
        verdicts.push(verdict)
        console.error(`${module.testModule}: ${verdict.result} ${told(verdict)}`.trimEnd())
        if (!COLUMNS.slice(0, -1).includes(verdict.result)) process.exitCode = 1
      }
      rows.push(row(plan, verdicts))
    }
  } finally {
    await browser.close()
  }
  console.log(`Suite ${version}, ${new Date().toISOString().slice(0, 10)}\n`)
  console.log('| Plan | Modules | Passed | Warnings | Review | Skipped | Failed |')
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  console.log(rows.join('\n'))
}

await main()
