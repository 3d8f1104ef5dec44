/** A service with one object of each kind in it, and a caller for every operation. */
import { networkZoneCommands } from '../../../adapters/application/commands/network-zones.ts'
import { policyCommands } from '../../../adapters/application/commands/policies.ts'
import { apiKey } from '../api/api-keys.ts'
import { oidcWorld } from '../oidc/oidc.ts'
import { samlWorld } from '../saml/saml.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

export interface ContractWorld {
  /** Ids of existing objects, by prefix. */
  readonly ids: (prefix: string) => readonly string[]
  /** Sends a request as a user who is allowed to send it. */
  readonly send: (
    credentials: readonly string[],
    method: string,
    path: string,
    body: unknown,
  ) => Promise<{ readonly status: number; readonly body: unknown }>
}

const policyRefusals: ReadonlySet<unknown> = new Set([
  'ERR_BLOCKED_BY_POLICY',
  'ERR_STRONGER_AUTH_REQUIRED',
  'ERR_REAUTH_REQUIRED',
])

const idsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return /^[a-z]{2,4}_[0-9A-Z]{26}$/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}

export const contractWorld = async (service: TestService): Promise<ContractWorld> => {
  const oidc = oidcWorld(service)
  const provider = await samlWorld(service, oidc).provider()
  const app = await oidc.application()
  const member = await oidc.member(app)
  const api = await oidc.api()
  const key = await apiKey(service)
  let admin: TestPerson = await service.person({}, ['global_admin'])
  const made = [
    ['/webhooks', { url: 'https://hooks.example.com/x', events: ['user.*'] }],
    ['/groups', { name: 'A group' }],
    ['/api-resources', { identifier: 'urn:example:contract', name: 'Contract' }],
    ['/policies', { name: 'Contract', action: 'allow' }],
    ['/domains', { name: 'contract.example' }],
    ['/identity-providers', { type: 'google', name: 'Contract', clientId: 'us', clientSecret: 'secret' }],
    ['/network-zones', { name: 'Contract', type: 'geo', countries: ['AQ'] }],
    ['/ssh/principal-mappings', { groupId: app.groupId, principals: ['contract'] }],
  ] as const
  const ids = new Set<string>([
    ...[member.userId, member.sessionId, app.applicationId, app.secretId, app.groupId],
    ...[provider.applicationId, api.apiResourceId, key.keyId, key.serviceAccountId],
  ])
  for (const [path, body] of made) {
    const { body: created } = await service.api('POST', path, { as: admin, body })
    for (const id of idsIn(created)) ids.add(id)
  }
  const { body: risk } = await service.api('POST', `/users/${member.userId}/confirm-compromised`, {
    as: admin,
    body: {},
  })
  ids.add(risk.id)
  for (const path of ['/sign-ins', '/devices', '/audit', '/signing-keys', '/saml-certificates'])
    for (const id of idsIn((await service.api('GET', `${path}?limit=2`, { as: admin })).body)) ids.add(id)
  /** Earlier requests may have saved policies and blocked zones that keep everybody out. */
  const letIn = async (): Promise<void> => {
    const { services } = service.core
    const { policies, networkZones } = await services.configuration.fresh()
    for (const { policy } of policies) await policyCommands(services).delete(policy.id, system)
    const here = { ip: '127.0.0.1', country: null, asn: null }
    for (const { id, blocked } of networkZones)
      if (blocked)
        await networkZoneCommands(services).update(id, { blocked: false }, { here, force: true }, system)
  }

  return {
    ids: (prefix) => [...ids].filter((id) => id.startsWith(prefix)),
    send: async (credentials, method, path, body) => {
      const as = credentials.includes('session') ? { as: admin } : {}
      const options = { ...as, ...(body === undefined ? {} : { body }) }
      const sent = await service.api(method, path, options)
      const keptOut = policyRefusals.has(sent.body?.error?.code)
      if (keptOut) await letIn()
      const response = keptOut ? await service.api(method, path, options) : sent
      if (response.status !== 401 || !credentials.includes('session')) return response
      // An earlier request ended this session, or all sessions of its user.
      admin = await service.person({}, ['global_admin'])
      return service.api(method, path, { ...options, as: admin })
    },
  }
}
