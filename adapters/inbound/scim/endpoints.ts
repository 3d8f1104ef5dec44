/**
 * RFC 7644: the SCIM server at `/scim/v2`. Directories authenticate with an API key of the scope `scim`, whose service
 * account is a user administrator.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { allows } from '../../../domain/roles.ts'
import { ScimError } from '../../../domain/scim/errors.ts'
import type { Services } from '../../application/services/services.ts'
import type { ApiKeyCaller } from '../http/caller.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import type { Mount } from '../http/dispatch.ts'
import { neverStored } from '../http/send-json.ts'
import { refusalOf, sendAnswer, sendRefusal } from './answer.ts'
import { readJson } from './body.ts'
import { actorOf, type ScimAnswer, type ScimCall, type ScimDeps } from './context.ts'
import { scimDiscovery } from './discovery.ts'
import { scimGroups } from './groups.ts'
import { scimUsers } from './users.ts'

const UNDER = '/scim/v2'

type Answering = (call: ScimCall) => Promise<ScimAnswer> | ScimAnswer
type Methods = Readonly<Partial<Record<string, Answering>>>

/** Neither is supported, which discovery declares (RFC 7644 §3.7, §3.11, §3.4.3). */
const NOT_IMPLEMENTED: ReadonlySet<string> = new Set(['bulk', 'me', '.search'])

const segmentsOf = (url: string): readonly string[] => {
  const path = url.split('?', 1)[0] ?? ''
  return path
    .slice(UNDER.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment)
      } catch {
        return segment
      }
    })
}

/** The handlers of a path, by method; undefined for an unknown path. */
const router = (services: Services) => {
  const base = services.publicUrl + UNDER
  const resources = new Map([
    ['users', scimUsers({ services, base })],
    ['groups', scimGroups({ services, base })],
  ])
  const discovery = scimDiscovery(base)

  return (segments: readonly string[]): Methods | null => {
    const [first = '', id, ...rest] = segments
    const name = first.toLowerCase()
    if (NOT_IMPLEMENTED.has(name) || segments.at(-1)?.toLowerCase() === '.search')
      throw new ScimError(501, null, `${segments.at(-1) ?? ''} is not supported.`)
    if (rest.length > 0) return null
    const resource = resources.get(name)
    if (resource !== undefined)
      return id === undefined
        ? { GET: resource.list, POST: resource.create }
        : {
            GET: (call) => resource.read(id, call),
            PUT: (call) => resource.replace(id, call),
            PATCH: (call) => resource.patch(id, call),
            DELETE: (call) => resource.remove(id, call),
          }
    if (name === 'serviceproviderconfig' && id === undefined) return { GET: discovery.configuration }
    for (const collection of ['ResourceTypes', 'Schemas'] as const)
      if (name === collection.toLowerCase())
        return {
          GET: (call) =>
            id === undefined ? discovery.list(collection, call) : discovery.read(collection, id),
        }
    return null
  }
}

const bearerOf = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +([\w.~+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1]

const mustBeAllowed = ({ scopes, roles }: ApiKeyCaller): void => {
  if (!scopes.includes('scim')) throw new ScimError(403, null, 'The API key lacks the scope scim.')
  if (!allows(roles, ['user_admin']))
    throw new ScimError(403, null, 'The service account of the API key lacks the user_admin role.')
}

export const scimServer = (services: Services, deps: ScimDeps): Mount => {
  const { checkKey, clientIp, newRequestId, limits, onError } = deps
  const find = router(services)

  const identified = async (
    request: IncomingMessage,
    response: ServerResponse,
    ip: string,
  ): Promise<ApiKeyCaller> => {
    const secret = bearerOf(request)
    const caller = secret === undefined ? undefined : await checkKey(secret, ip)
    const owner = caller?.keyId ?? networkOf(ip)
    if (!limits.scim.take(owner)) {
      for (const [name, value] of Object.entries(limits.scim.headers(owner))) response.setHeader(name, value)
      throw new ScimError(429, null, 'Too many requests. Wait for the time in Retry-After.')
    }
    if (caller === undefined) {
      response.setHeader('WWW-Authenticate', 'Bearer')
      throw new ScimError(401, null, 'A valid API key is required as a bearer token.')
    }
    mustBeAllowed(caller)
    return caller
  }

  const answered = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<ScimAnswer> => {
    const ip = clientIp(request)
    const caller = await identified(request, response, ip)
    const url = request.url ?? ''
    const methods = find(segmentsOf(url))
    if (methods === null) throw new ScimError(404, null, 'Nothing was found at this address.')
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const answer = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (answer === undefined) {
      response.setHeader('Allow', Object.keys(methods).join(', '))
      throw new ScimError(405, null, `${method} is not supported here.`)
    }
    const query = url.indexOf('?')
    return answer({
      actor: actorOf(caller, ip, requestId),
      roles: caller.roles,
      query: new URLSearchParams(query === -1 ? '' : url.slice(query + 1)),
      body: () => readJson(request),
    })
  }

  return {
    under: UNDER,
    handler: async (request, response) => {
      const requestId = newRequestId()
      neverStored(response, requestId)
      try {
        await sendAnswer(response, await answered(request, response, requestId))
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal.status === 500) onError(error, requestId)
        if (response.headersSent) response.destroy()
        else sendRefusal(response, refusal)
      }
    },
  }
}
