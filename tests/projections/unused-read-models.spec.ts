import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { dropUnusedReadModels } from '../../adapters/engines/postgres/unused-read-models.ts'
import { READ_MODELS, UNVERSIONED } from '../../read-models/schema.ts'
import {
  system,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'

const OTHER = 'rm_0123456789'

describe('Read models that no instance reads', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  beforeEach(async () => {
    place = await testPlace()
    service = await testService(place)
    for (const schema of [OTHER, `${OTHER}_building`, UNVERSIONED]) await sql(`create schema ${schema}`)
  })
  afterEach(async () => {
    await service.stop()
    await place.drop()
  })

  const sql = async (statement: string) =>
    (await service.core.workPool.query<{ name: string }>(statement)).rows
  const look = () => dropUnusedReadModels(service.core.services.pool)
  const schemas = async () =>
    (await sql(`select nspname as name from pg_namespace where nspname ~ '^rm' order by 1`)).map(
      ({ name }) => name,
    )
  const aDayLater = () =>
    sql(`update work.read_model_use set last_used_at = last_used_at - interval '25 hours'`)

  it('EVT-03 are dropped after a day, except those that are read', async () => {
    await look()
    expect(await schemas()).to.have.members([OTHER, `${OTHER}_building`, UNVERSIONED, READ_MODELS])
    await aDayLater()
    const other = await service.core.workPool.connect()
    try {
      await other.query(`set application_name = 'svc running ${OTHER}'`)
      await look()
      expect(await schemas()).to.have.members([OTHER, READ_MODELS])
    } finally {
      other.release(true)
    }
    await look()
    expect(await schemas(), 'it was read a moment ago').to.have.members([OTHER, READ_MODELS])
  })

  it('EVT-03 are dropped immediately if they still contain an erased user', async () => {
    await look()
    const { userId } = await service.person({ name: 'Ada' })
    await userCommands(service.core.services).delete(userId, 'system', system)
    await look()
    expect(await schemas()).to.include(OTHER)
    await userCommands(service.core.services).erase(userId, system)
    await look()
    expect(await schemas()).to.deep.equal([READ_MODELS])
  })
})
