/** A copied credential does not act with roles that its owner was granted afterwards. */
import { expect } from 'chai'
import fc from 'fast-check'
import { mailPeer, mailPlace, type MailPeer } from '../support/mail/mail.ts'
import { isOutdated, type Copy } from '../support/hostile/privilege-copies.ts'
import { privilegeMoves, steps } from '../support/hostile/privilege-moves.ts'
import type { Model, Step } from '../support/hostile/privilege-model.ts'
import { federation } from '../support/hostile/privilege-federation.ts'
import { scriptedProvider, type ScriptedProvider } from '../support/federation/scripted-provider.ts'
import { testService, type TestPlace, type TestService } from '../support/service/service.ts'
import { fromEnvironment, SEED } from '../support/random.ts'

const USUAL_RUNS = 7
const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', USUAL_RUNS)
/** Maximum number of steps; the minimum is half of it. */
const STEPS = 16

/** Credentials to copy: one user has started to enrol, others have an email that signs in or verifies an address. */
const start: readonly Step[] = [
  { kind: 'begin', of: 0, choice: 0 },
  { kind: 'enrol', of: 1, choice: 0 },
  { kind: 'move', of: 1, choice: 0 },
  { kind: 'confirm', of: 1, choice: 0 },
  { kind: 'ask', of: 1, choice: 0 },
  { kind: 'enrol', of: 2, choice: 0 },
  { kind: 'move', of: 2, choice: 0 },
  { kind: 'arrive', of: 1, choice: 0 },
  { kind: 'arrive', of: 2, choice: 0 },
  { kind: 'link_up', of: 2, choice: 0 },
  { kind: 'leave', of: 2, choice: 0 },
  { kind: 'link_own', of: 1, choice: 0 },
  ...[0, 1].map((choice) => ({ kind: 'withdraw', of: 2, choice })),
  ...[3, 4, 5].map((choice) => ({ kind: 'withdraw', of: 1, choice })),
  { kind: 'key', of: 0, choice: 0 },
  { kind: 'key', of: 1, choice: 1 },
  { kind: 'administer', of: 2, choice: 1 },
]

type Moves = ReturnType<typeof privilegeMoves>

describe('privilege over time', function () {
  this.timeout(120_000 + RUNS * 20_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  let provider: ScriptedProvider
  const seen = new Map<string, number>()
  const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1)

  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
    provider = await scriptedProvider()
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
    await provider.close()
  })

  it('AUT-05 SGN-03 a credential that was copied before a role was granted gives no access', async () => {
    const root = await service.person({}, ['global_admin'])
    const fed = await federation(service, provider, root)

    const tryAll = async (moves: Moves, model: Model): Promise<void> => {
      const before = await Promise.all(model.people.map((person) => moves.accountOf(person)))
      for (const copy of model.copies.filter(isOutdated)) {
        const opened = await moves.copies.use(copy)
        expect(opened, `${copy.kind} of a ${copy.subject.kind}`).to.equal(null)
        count(`tried: ${copy.kind}`)
      }
      for (const subject of [...model.people, ...model.accounts])
        for (const status of await moves.tryDirectly(model, subject)) {
          expect(status, `requested the ${subject.kind} itself`).to.equal(403)
          count('tried: requested')
        }
      const after = await Promise.all(model.people.map((person) => moves.accountOf(person)))
      expect(after, 'methods, sessions and addresses').to.deep.equal(before)
    }

    await fc.assert(
      fc.asyncProperty(steps(STEPS), async (sequence) => {
        count('run')
        // The administrator must have signed in recently, even in a long campaign.
        const admin = await service.signIn(root.userId, root.email)
        const moves = privilegeMoves(service, peer, admin, fed, count)
        const model = await moves.newModel()
        const taken: string[] = []
        try {
          for (const step of [...start, ...sequence]) {
            taken.push(step.kind)
            await moves.take(model, step)
            if (step.kind === 'raise' || step.kind === 'race') await tryAll(moves, model)
          }
          // Later changes must not make a copy valid again, and every user changes.
          await tryAll(moves, model)
          for (const subject of [...model.people, ...model.accounts]) await moves.raise(subject)
          await tryAll(moves, model)
        } catch (error) {
          if (error instanceof Error) error.message = `(${taken.join(', ')}): ${error.message}`
          throw error
        }
      }),
      {
        numRuns: RUNS,
        seed: SEED,
        plugins: [fc.interruptAfterTimeLimit(60_000 + RUNS * 15_000)],
        endOnFailure: true,
      },
    )

    // The property would also be true for copies that never worked.
    if (seen.get('run') !== RUNS || RUNS < USUAL_RUNS) return
    const waiting = ['pending link', 'federated sign-in', 'linking']
    const tried = ['link', 'passkey ceremony', 'app ceremony', 'link to sign in', 'confirmation email']
    for (const kind of [...tried, ...waiting, 'key', 'request', 'session', 'admin token'] satisfies
      | Copy['kind'][]
      | string[])
      expect(seen.get(`tried: ${kind}`) ?? 0, `tried: ${kind}`).to.be.greaterThan(0)
    for (const what of [
      'enrolled',
      'confirmed',
      'race',
      'raised: person',
      'raised: account',
      'tried: requested',
      'linked',
      ...waiting.map((kind) => `withdrawn: ${kind}`),
    ])
      expect(seen.get(what) ?? 0, what).to.be.greaterThan(0)
  })
})
