/** A change is in force for a first command, a repeated one and one that changes nothing at the same moment. */
import { expect } from 'chai'
import type { Actor } from '../../adapters/application/services/handle.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { storeLimits } from '../../cli/server/store-limits.ts'
import { system, testService, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('what is answered is in force', () => {
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

  /** Holds a consumer up by its checkpoint while `work` runs. */
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

  it('ASG-03 API-07 a change waits for memberships by rule: the first time, repeated, and where it changes nothing', async () => {
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

  it('ASG-03 what was in force before is answered while a consumer is held up', async () => {
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
