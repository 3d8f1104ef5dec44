/** A service with data of every kind that the secret key encrypts. */
import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { audited } from '../audit/audit.ts'
import { appPerson } from '../sign-in/authenticator.ts'
import { oidcWorld } from '../oidc/oidc.ts'
import { newJar, passkeyWorld } from '../sign-in/passkey-world.ts'
import { provisionedApplication } from '../scim/provisioning.ts'
import { samlWorld } from '../saml/saml.ts'
import type { ScimApp } from '../scim/scim-app.ts'
import { system, type TestService } from '../service/service.ts'
import { until } from '../until.ts'
import { webhookPlaceOf } from '../webhooks/webhooks.ts'

/** Users, secrets and pending requests of every kind that the secret key encrypts. */
export const furnishedService = async (service: TestService, app: ScimApp, hookUrl: string) => {
  const passkeys = passkeyWorld(service)
  const holder = await passkeys.enrolled(newJar(), ['global_admin'])
  const session = await passkeys.signIn(holder, newJar())
  const codes = await appPerson(service)
  const oidc = oidcWorld(service)
  const saml = samlWorld(service, oidc)
  const client = await oidc.application('web')
  const sp = await saml.provider()
  await oidc.join(client.groupId, holder.userId)
  await oidc.join(sp.groupId, holder.userId)
  const tokens = await oidc.tokens(client, session, 'openid profile email offline_access')
  const code = await oidc.code(client, session)
  const keys = createRemoteJWKSet(new URL(`${service.publicUrl}/oauth2/keys`))
  await jwtVerify(tokens.id_token, keys)

  const provisioned = await provisionedApplication(service)
  await provisioned.configure({ baseUrl: app.baseUrl, token: app.token })
  await provisioned.member({ name: 'Pushed Person' })
  await provisioned.synced()

  const hooks = webhookPlaceOf(service, provisioned.admin)
  const endpoint = await hooks.endpoint(hookUrl)
  await hooks.happen('Happens before')
  const { pool } = service.core.services
  await until(
    async () => (await hooks.deliveries(endpoint.id)).some(({ status }) => status === 'retrying'),
    10_000,
    'a delivery that waits',
  )

  const erased = await service.person({ name: 'Gone Person' })
  const users = userCommands(service.core.services)
  await users.delete(erased.userId, 'system', system)
  await users.erase(erased.userId, system)
  const unverified = await service.api('POST', '/auth/magic-link', { body: { email: codes.email } })
  expect(unverified.status).to.be.lessThan(500)
  const leaver = await service.person({ name: 'Leaver', email: 'leaver@example.com' })
  const verified = await service.verified(await service.person({ name: 'Verified Person' }))
  await service.core.caughtUp()
  await audited(service)
  const { rows } = await pool.query<{ id: string; status: string }>('select id, status from signing_keys')
  return {
    ...{ holder, codes, client, sp, tokens, code, endpoint, erased, leaver, verified, session },
    provisioned: { applicationId: provisioned.applicationId, adminId: provisioned.admin.userId },
    formerKeys: rows,
  }
}
