import { expect } from 'chai'
import type { OidcWorld, TestApplication } from '../oidc/oidc.ts'
import type { TestPerson, TestService } from '../service/service.ts'

/**
 * Sets up shared signals as an administrator does: the API resource with its scopes.
 * @returns creates receivers: services that have these scopes, with a group unless told otherwise
 */
export const sharedSignals = async (service: TestService, oidc: OidcWorld, admin: TestPerson) => {
  const { body, status } = await service.api('POST', '/api-resources', {
    as: admin,
    body: {
      identifier: `${service.publicUrl}/ssf`,
      name: 'Shared signals',
      scopes: [{ name: 'ssf.manage' }, { name: 'ssf.read' }],
    },
  })
  expect(status, JSON.stringify(body)).to.equal(201)
  return async (options: { groups?: 'none' } = {}): Promise<TestApplication> => {
    const app = await oidc.application('service', { redirectUris: [] }, options)
    const grant = await service.api('PUT', `/api-resources/${String(body.id)}/grants/${app.applicationId}`, {
      as: admin,
      body: { scopes: ['ssf.manage', 'ssf.read'] },
    })
    expect(grant.status, JSON.stringify(grant.body)).to.be.within(200, 204)
    return app
  }
}
