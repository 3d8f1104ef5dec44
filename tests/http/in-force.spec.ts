/** A command returns once its change is in effect, whether it is the first, a repeated one or one without a change. */
import { expect } from 'chai'
import type { Actor } from '../../adapters/application/services/handle.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { storeLimits } from '../../cli/server/store-limits.ts'
import { system, testService, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('confirmed changes are in effect', () => {
  let service: TestService
  before(async () => {
    service = await testService(undefined, { limits: { ...storeLimits, inForce: 300 } })
  })
  after(() => service.stop())

  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => (error as { code?: unknown }).code,
    )

  /** Blocks a consumer by locking its checkpoint while `work` runs. */
  const held = async (consumer: string, work: () => Promise<void>): Promise<void> => {
    const holding = await service.core.workPool.connect()
    try {
      await holding.query('begin')
      await holding.query('select from work.checkpoint where name = $1 for update', [consumer])
      await work()
    } finally {
      await holding.query('rollback')
      holding.release()
    }
  }

  it('ASG-03 API-07 a change waits for memberships by rule: the first time, repeated, and without a change', async () => {
    const { userId } = await service.person()
    const move = (actor: Actor) =>
      userCommands(service.core.services).update(userId, { department: 'Sales' }, ['global_admin'], actor)
    await held('rule-memberships', async () => {
      const once = { ...system, idempotencyKey: 'move once' }
      expect(await codeOf(move(once)), 'first').to.equal('ERR_UNAVAILABLE')
      expect(await codeOf(move(once)), 'repeated').to.equal('ERR_UNAVAILABLE')
      expect(await codeOf(move(system)), 'nothing to change').to.equal('ERR_UNAVAILABLE')
    })
    await until(async () => (await codeOf(move(system))) === null)
  })

  it('ASG-03 earlier changes are confirmed while a consumer is blocked', async () => {
    const { userId } = await service.person()
    const roles = (actor: Actor) => userCommands(service.core.services).setRoles(userId, ['auditor'], actor)
    const once = { ...system, idempotencyKey: 'roles once' }
    expect(await codeOf(roles(once))).to.equal(null)
    await held('rule-memberships', async () => {
      expect(await codeOf(roles(once)), 'repeated').to.equal(null)
      expect(await codeOf(roles(system)), 'nothing to change').to.equal(null)
    })
  })
})
