/**
 * What SSH host certificates say, and which of them are revoked, after any sequence of changes, on two instances with one
 * database, against a model.
 */
import { expect } from 'chai'
import fc, { type Arbitrary } from 'fast-check'
import { newId } from '../../adapters/kernel/ids.ts'
import { fromEnvironment, SEED } from '../support/random.ts'
import {
  freePort,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'
import { readCertificate, readRevoked } from '../support/ssh/read-certificate.ts'
import { until } from '../support/until.ts'

const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', 6)
const STEPS = 20

/** Names, and the pattern that allows each besides itself. */
const names: Readonly<Record<string, string>> = {
  'a.example.com': '*.example.com',
  'b.example.com': '*.example.com',
  'a.b.example.com': '*.b.example.com',
  '192.0.2.7': '',
  db: '',
}
const patterns = [...Object.keys(names), '*.example.com', '*.b.example.com']

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('name', 'name', 'issue', 'issue', 'issue', 'turn', 'revoke', 'rotate'),
    patterns: fc.subarray(patterns, { maxLength: 4 }),
    wanted: fc.option(fc.subarray(Object.keys(names), { minLength: 1, maxLength: 2 })),
    which: fc.nat(9),
    instance: fc.nat(1),
  }),
  { minLength: STEPS / 2, maxLength: STEPS },
)
type Step = typeof steps extends Arbitrary<readonly (infer S)[]> ? S : never

interface Issued {
  readonly serial: string
  readonly names: readonly string[]
  isRevoked: boolean
}

interface Model {
  names: readonly string[]
  isActive: boolean
  readonly certificates: Issued[]
}

const allows = (account: Model, name: string): boolean =>
  account.names.includes(name) || account.names.includes(names[name] ?? '')

describe('SSH host certificates after random changes', function () {
  this.timeout(120_000 + RUNS * 10_000)
  let place: TestPlace
  let services: readonly [TestService, TestService]
  let admin: TestPerson

  before(async () => {
    place = await testPlace()
    const one = await testService(place)
    const port = await freePort()
    const two = await testService({
      ...place,
      config: { ...place.config, listen: { host: '127.0.0.1', port } },
    })
    services = [one, two]
    admin = await one.person({}, ['global_admin'])
  })
  after(async () => {
    await services[1].stop()
    await services[0].stop()
    await place.drop()
  })

  /** Of an instance; the second has the public address of the first. */
  const address = (instance: number, path: string): string =>
    `http://127.0.0.1:${String(services[instance === 0 ? 0 : 1].port)}/api/v1${path}`
  const send = async (
    instance: number,
    method: string,
    path: string,
    body?: unknown,
    credential: Readonly<Record<string, string>> = { Cookie: admin.cookie },
  ) => {
    const response = await fetch(address(instance, path), {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const done = async (...request: Parameters<typeof send>) => {
    const answer = await send(...request)
    expect(answer.status, `${request[1]} ${request[2]} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer.body
  }
  const revoked = async (instance: number): Promise<readonly string[]> => {
    const response = await fetch(address(instance, '/ssh/revoked-keys'))
    const lists = readRevoked(Buffer.from(await response.arrayBuffer()))
    return Object.values(lists).flatMap((serials) => serials.map(String))
  }

  const play = async (history: readonly Step[]): Promise<{ issued: number; refused: number }> => {
    const { id } = await done(0, 'POST', '/service-accounts', { name: `Host ${newId('user')}` })
    const account = `/service-accounts/${String(id)}`
    const newKey = async (): Promise<Readonly<Record<string, string>>> => {
      const { key } = await done(0, 'POST', `${account}/keys`, { name: 'hosts', scopes: ['api'] })
      return { Authorization: `Bearer ${String(key)}` }
    }
    let key = await newKey()
    const model: Model = { names: [], isActive: true, certificates: [] }
    let refused = 0

    const issue = async (instance: number, wanted: readonly string[] | null, what: string): Promise<void> => {
      const body = { publicKey: newKeyOf['ssh-ed25519'](), ...(wanted === null ? {} : { hostNames: wanted }) }
      const answer = await send(instance, 'POST', '/ssh/host-certificates', body, key)
      const expected = wanted ?? model.names.filter((name) => !name.startsWith('*'))
      const may =
        model.names.length > 0 && expected.length > 0 && expected.every((name) => allows(model, name))
      if (!model.isActive || !may) {
        expect(answer.status, what).to.be.oneOf(model.isActive ? [403, 422] : [401])
        refused++
        return
      }
      expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).to.equal(201)
      const said = readCertificate(answer.body.certificate)
      expect(said, what).to.deep.include({ kind: 2, isGenuine: true, extensions: [], criticalOptions: {} })
      expect(said.principals, what).to.have.members(expected)
      model.certificates.push({ serial: String(said.serial), names: said.principals, isRevoked: false })
    }

    const apply = async ({ kind, patterns: given, wanted, which, instance }: Step, what: string) => {
      switch (kind) {
        case 'name': {
          await done(instance, 'PUT', `${account}/ssh-host-names`, { hostNames: given })
          const isFirst = model.names.length === 0 && given.length > 0
          model.names = given
          if (!isFirst) return
          expect((await send(1 - instance, 'POST', '/ssh/host-certificates', {}, key)).status, what).to.equal(
            401,
          )
          if (!model.isActive) await done(instance, 'POST', `${account}/enable`, {})
          model.isActive = true
          key = await newKey()
          return
        }
        case 'turn':
          await done(instance, 'POST', `${account}/${model.isActive ? 'disable' : 'enable'}`, {})
          model.isActive = !model.isActive
          return
        case 'revoke': {
          const certificate = model.certificates[which % Math.max(1, model.certificates.length)]
          if (certificate === undefined) return
          await done(instance, 'POST', `/ssh/host-certificates/${certificate.serial}/revoke`, {})
          certificate.isRevoked = true
          return
        }
        case 'rotate':
          await done(instance, 'POST', '/ssh/ca/rotate', {})
          return
        case 'issue':
          await issue(instance, wanted, what)
      }
    }

    for (const [at, step] of history.entries()) {
      const what = `step ${String(at)}: ${JSON.stringify(step)}`
      await apply(step, what)
      // On the instance that did not make the change: it is in effect everywhere.
      await issue(1 - step.instance, step.wanted, `after ${what}`)
    }
    const bad = model.certificates
      .filter((one) => one.isRevoked || !model.isActive || !one.names.every((name) => allows(model, name)))
      .map(({ serial }) => serial)
    const own = new Set(model.certificates.map(({ serial }) => serial))
    for (const instance of [0, 1]) {
      const listed = async () => (await revoked(instance)).filter((serial) => own.has(serial)).sort()
      const isRight = async () => (await listed()).join() === [...bad].sort().join()
      await until(isRight, 5000).catch(async () => {
        expect(await listed(), JSON.stringify({ history, model })).to.deep.equal([...bad].sort())
      })
    }
    return { issued: model.certificates.length, refused }
  }

  it('SSH-01 SSH-02 name what the account may certify at that moment, and are revoked when it may not any more', async () => {
    const total = { issued: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const { issued, refused } = await play(history)
        total.issued += issued
        total.refused += refused
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
    expect(total.issued).to.be.greaterThan(RUNS)
    expect(total.refused).to.be.greaterThan(RUNS)
  })
})
