/** What SSH certificates say after any sequence of changes, on two instances with one database, against a model. */
import { expect } from 'chai'
import fc, { type Arbitrary } from 'fast-check'
import { newId } from '../../adapters/kernel/ids.ts'
import { sshExtensions, type SshExtension } from '../../domain/ssh-principal-mapping/events.ts'
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
import { readCertificate } from '../support/ssh/read-certificate.ts'

const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', 6)
const STEPS = 16
const GROUPS = 3
const PEOPLE = 2
const DAY = 86_400

interface Mapping {
  readonly id: string
  group: number
  principals: readonly string[]
  validity: number | null
  extensions: readonly SshExtension[]
}

interface Model {
  readonly members: readonly Set<number>[]
  readonly suspended: Set<number>
  readonly mappings: Mapping[]
}

const fields = fc.record({
  principals: fc.uniqueArray(fc.constantFrom('ada', 'deploy', 'root', 'web'), { minLength: 1, maxLength: 3 }),
  validity: fc.option(fc.constantFrom(300, 900, 3600)),
  extensions: fc.subarray([...sshExtensions]),
})

const kinds = [
  'join',
  'join',
  'leave',
  'map',
  'map',
  'change',
  'move',
  'unmap',
  'suspend',
  'reactivate',
  'rotate',
] as const

const steps: Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    person: fc.nat(PEOPLE - 1),
    group: fc.nat(GROUPS - 1),
    which: fc.nat(5),
    fields,
    instance: fc.nat(1),
  }),
  { minLength: STEPS / 2, maxLength: STEPS },
)
interface Step {
  readonly kind: (typeof kinds)[number]
  readonly person: number
  readonly group: number
  readonly which: number
  readonly fields: Pick<Mapping, 'principals' | 'validity' | 'extensions'>
  readonly instance: number
}

/** What the model says that a certificate of a person has; null for none. */
const expected = ({ members, mappings }: Model, person: number) => {
  const own = mappings.filter(({ group }) => members[group]?.has(person) === true)
  if (own.length === 0) return null
  return {
    principals: [...new Set(own.flatMap(({ principals }) => principals))].sort(),
    validity: Math.min(...own.map(({ validity }) => validity ?? DAY)),
    extensions: sshExtensions.filter((name) => own.every(({ extensions }) => extensions.includes(name))),
  }
}

describe('SSH certificates after random changes', function () {
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

  /** Sends to an instance; the second has the public address of the first. */
  const send = async (instance: number, method: string, path: string, body?: unknown, as = admin) => {
    const { port } = services[instance === 0 ? 0 : 1]
    const response = await fetch(`http://127.0.0.1:${String(port)}/api/v1${path}`, {
      method,
      headers: {
        Cookie: as.cookie,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }

  const play = async (history: readonly Step[]): Promise<number> => {
    const people = [await services[0].person(), await services[0].person()]
    const groups: string[] = []
    for (let n = 0; n < GROUPS; n++)
      groups.push(String((await send(0, 'POST', '/groups', { name: `Group ${newId('group')}` })).body.id))
    const model: Model = {
      members: groups.map(() => new Set<number>()),
      suspended: new Set(),
      mappings: [],
    }
    const done = async (instance: number, method: string, path: string, body?: unknown) => {
      const answer = await send(instance, method, path, body)
      expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
      return answer.body
    }
    const sentFields = ({ principals, validity, extensions }: Step['fields']) => ({
      principals,
      maxValiditySeconds: validity,
      extensions,
    })

    const apply = async ({ kind, person, group, which, fields: chosen, instance }: Step): Promise<void> => {
      const userId = people[person]?.userId ?? ''
      const member = `/groups/${groups[group] ?? ''}/members/${userId}`
      const mapping = model.mappings[which % Math.max(1, model.mappings.length)]
      const path = `/ssh/principal-mappings/${mapping?.id ?? ''}`
      switch (kind) {
        case 'join':
          await done(instance, 'PUT', member, {})
          model.members[group]?.add(person)
          return
        case 'leave':
          if (model.members[group]?.has(person) !== true) return
          await done(instance, 'DELETE', member)
          model.members[group]?.delete(person)
          return
        case 'map': {
          const body = { groupId: groups[group], ...sentFields(chosen) }
          const { id } = await done(instance, 'POST', '/ssh/principal-mappings', body)
          model.mappings.push({ id: String(id), group, ...chosen })
          return
        }
        case 'change':
          if (mapping === undefined) return
          await done(instance, 'PATCH', path, sentFields(chosen))
          Object.assign(mapping, chosen)
          return
        case 'move':
          if (mapping === undefined) return
          await done(instance, 'PATCH', path, { groupId: groups[group] })
          mapping.group = group
          return
        case 'unmap':
          if (mapping === undefined) return
          await done(instance, 'DELETE', path)
          model.mappings.splice(model.mappings.indexOf(mapping), 1)
          return
        case 'suspend':
          if (model.suspended.has(person)) return
          await done(instance, 'POST', `/users/${userId}/suspend`, {})
          model.suspended.add(person)
          return
        case 'reactivate': {
          if (!model.suspended.has(person)) return
          await done(instance, 'POST', `/users/${userId}/reactivate`, {})
          model.suspended.delete(person)
          people[person] = await services[0].signIn(userId, people[person]?.email ?? '')
          return
        }
        case 'rotate':
          await done(instance, 'POST', '/ssh/ca/rotate', {})
      }
    }

    let issued = 0
    /** On the instance that did not make the change: it is in effect everywhere. */
    const check = async (instance: number, after: string): Promise<void> => {
      for (const [person, as] of people.entries()) {
        const body = { publicKey: newKeyOf['ssh-ed25519']() }
        const answer = await send(1 - instance, 'POST', '/me/ssh/certificates', body, as)
        const wanted = model.suspended.has(person) ? null : expected(model, person)
        if (wanted === null) {
          expect(answer.status, after).to.equal(model.suspended.has(person) ? 401 : 403)
          continue
        }
        expect(answer.status, `${after} ${JSON.stringify(answer.body)}`).to.equal(201)
        const said = readCertificate(answer.body.certificate)
        expect(said.isGenuine).to.equal(true)
        expect({
          principals: said.principals,
          validity: said.validBefore - said.validAfter - 60,
          extensions: sshExtensions.filter((name) => said.extensions.includes(name)),
        }).to.deep.equal({ ...wanted, validity: Math.min(wanted.validity, 8 * 3600) }, after)
        issued++
      }
    }

    for (const [at, step] of history.entries()) {
      await apply(step)
      await check(step.instance, `step ${String(at)}: ${JSON.stringify(step)}`)
    }
    return issued
  }

  it('SSH-01 SSH-02 say what the mappings of the user’s groups say at that moment', async () => {
    let issued = 0
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        issued += await play(history)
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    )
    expect(issued).to.be.greaterThan(RUNS)
  })
})
