/** A service with one object of each kind in it, and a caller for every operation. */
import { apiKey } from '../api/api-keys.ts'
import { oidcWorld } from '../oidc/oidc.ts'
import { samlWorld } from '../saml/saml.ts'
import type { TestPerson, TestService } from '../service/service.ts'

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
    ['/network-zones', { name: 'Contract', type: 'geo', countries: ['AQ'] }],
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
  return {
    ids: (prefix) => [...ids].filter((id) => id.startsWith(prefix)),
    send: async (credentials, method, path, body) => {
      const as = credentials.includes('session') ? { as: admin } : {}
      const options = { ...as, ...(body === undefined ? {} : { body }) }
      const response = await service.api(method, path, options)
      if (response.status !== 401 || !credentials.includes('session')) return response
      // An earlier request ended this session, or all sessions of its user.
      admin = await service.person({}, ['global_admin'])
      return service.api(method, path, { ...options, as: admin })
    },
  }
}
