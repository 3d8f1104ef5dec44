import { expect } from 'chai'
import { testService, type TestService } from '../support/service/service.ts'

describe('the running service', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  it('API-15 answers ok while the database answers', async () => {
    const response = await fetch(`${service.publicUrl}/healthz`)
    expect(response.status).to.equal(200)
    expect(await response.text()).to.equal('ok')
  })

  it('is ready once its read models show the log', async () => {
    await service.person()
    const response = await fetch(`${service.publicUrl}/readyz`)
    expect(await response.text()).to.equal('ready')
  })
})
