/**
 * After any request to any endpoint, the process keeps running, stays ready, and has returned no server error.
 * `SVC_TEST_SEED` and `SVC_TEST_HOSTILE_MINUTES` turn this into a campaign.
 */
import { expect } from 'chai'
import { parse } from 'yaml'
import { randomFrom, SEED } from '../support/random.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { freePort, testPlace, testService, type TestPlace } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { apiTemplates, type ApiDocument } from './api-templates.ts'
import { protocolTemplates } from './protocol-templates.ts'
import { diceFrom, hostileVariants, type Hostile, type Template } from './requests.ts'
import { sendHostile, type Outcome } from './send.ts'
import { hostileWorld, type World } from './world.ts'

const MINUTES = Number(process.env['SVC_TEST_HOSTILE_MINUTES'] ?? '0')
/** Number of requests in one round without a campaign. */
const ROUND = 1000
const AT_ONCE = 8
/** Longer than the body timeout of 30 s, so that its timers have run by then. */
const LIVES_ON_MS = 35_000

/** Allowed server errors: unsupported SCIM features (501), and an unreachable endpoint of an application (502). */
const isDeclared = ({ status, head, body }: Outcome): boolean =>
  (status === 501 && /^content-type: application\/scim\+json/im.test(head)) ||
  (status === 502 && body.includes('"ERR_SCIM_CONNECTION"'))

describe('hostile requests', function () {
  this.timeout((MINUTES + 10) * 60_000)
  let place: TestPlace
  let world: World
  let document: ApiDocument
  let running: ServeProcess
  let metricsPort: number

  before(async () => {
    place = await testPlace()
    const service = await testService(place)
    world = await hostileWorld(service)
    document = parse(await (await fetch(`${service.publicUrl}/api/v1/openapi.yaml`)).text()) as ApiDocument
    await service.stop()
    metricsPort = await freePort()
    running = await serve(
      { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' },
      {
        SVC_PUBLIC_URL: place.config.publicUrl,
        SVC_METRICS_LISTEN: `127.0.0.1:${String(metricsPort)}`,
        SVC_LOG_LEVEL: 'warn',
      },
    )
  })
  after(async () => {
    await running.kill()
    await place.drop()
  })

  const alive = (): boolean => running.child.exitCode === null && running.child.signalCode === null
  const isFailure = (outcome: Outcome): boolean => (outcome.status ?? 0) >= 500 && !isDeclared(outcome)

  const round = async (
    seed: number,
    most: number,
  ): Promise<{ failures: string[]; sent: number; statuses: Map<string, number> }> => {
    const dice = diceFrom(randomFrom(seed))
    const templates = [...apiTemplates(document, world, dice), ...protocolTemplates(world)]
    // Requests that delete records come last, so that the others find the records.
    const ordered = [
      ...templates.filter(({ method }) => method !== 'DELETE'),
      ...templates.filter(({ method }) => method === 'DELETE'),
    ]
    const all = ordered.map((template) => ({ template, variants: hostileVariants(template, dice, 2) }))
    const share = most / all.reduce((sum, { variants }) => sum + variants.length, 0)
    const queue = all.flatMap(({ template, variants: [plain, ...others] }) =>
      [
        ...(plain === undefined ? [] : [plain]),
        ...(share >= 1 ? others : dice.some(others, Math.floor(others.length * share))),
      ].map((request) => ({ template, request })),
    )
    const failures: string[] = []
    const statuses = new Map<string, number>()
    const open: (() => void)[] = []
    let sent = 0
    const describe = ({ method, segments, as }: Template, { what }: Hostile): string =>
      `${method} /${segments.join('/').slice(0, 100)} as ${as}, ${what}`
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined && alive(); next = queue.shift()) {
        const { template, request } = next
        sent++
        const send = () =>
          sendHostile(running.port, request, (close) => {
            open.push(close)
            if (open.length > 300) open.shift()?.()
          })
        try {
          let outcome = await send()
          // A busy machine may cause a 503, so the request is repeated alone; a second 503 is a failure.
          if (outcome.status === 503) outcome = await send()
          const key = String(outcome.status)
          statuses.set(key, (statuses.get(key) ?? 0) + 1)
          if (isFailure(outcome))
            failures.push(
              `${key} ${describe(template, request)}: ${outcome.body.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
            )
        } catch (error) {
          failures.push(`${describe(template, request)}: ${String(error)}`)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    // Stalled requests stay open, because their timeouts are also tested.
    return { failures, sent, statuses }
  }

  it('neither end the process nor cause a server error', async () => {
    const endAt = Date.now() + MINUTES * 60_000
    let total = 0
    const failures: string[] = []
    const statuses = new Map<string, number>()
    for (let seed = SEED; total === 0 || (Date.now() < endAt && alive()); seed++) {
      const done = await round(seed, MINUTES > 0 ? Infinity : ROUND)
      total += done.sent
      failures.push(...done.failures.map((each) => `seed ${String(seed)}: ${each}`))
      for (const [status, count] of done.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
      if (failures.length > 50) break
    }
    const summary = [...statuses].sort().map(([status, count]) => `${status}: ${String(count)}`)
    console.log(`      seed ${String(SEED)}, ${String(total)} requests; ${summary.join(', ')}`)
    const last = Date.now()
    await until(
      () => !alive() || Date.now() - last > LIVES_ON_MS,
      LIVES_ON_MS + 10_000,
      'the end of the wait',
    )
    expect(alive(), running.output().slice(-3000)).to.equal(true)
    expect(failures.length, failures.join('\n')).to.equal(0)
    const said = running
      .output()
      .split('\n')
      .filter((line) => /"level":"(?:error|fatal)"|request failed|unexpected error/.test(line))
    expect(said.length, said.map((line) => line.slice(0, 1500)).join('\n')).to.equal(0)
    const ready = await fetch(`http://127.0.0.1:${String(metricsPort)}/readyz`)
    expect([ready.status, await ready.text()]).to.deep.equal([200, 'ready'])
    expect((await fetch(`${running.url}/readyz`)).status).to.equal(200)
  })
})
