/**
 * RFC 7644: the SCIM server at `/scim/v2`. Directories authenticate with an API key of the scope `scim`, whose service
 * account has the user_admin role.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { allows } from '../../../domain/roles.ts'
import { ScimError } from '../../../domain/scim/errors.ts'
import type { Services } from '../../application/services/services.ts'
import type { ApiKeyCaller } from '../http/caller.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { neverStored, setHeaders } from '../http/respond.ts'
import type { Endpoint, EndpointMethod, Handler, Part, Params } from '../http/table.ts'
import { refusalOf, sendRefusal, sendResult } from './answer.ts'
import { readJson } from './body.ts'
import { actorOf, type ScimAnswer, type ScimCall, type ScimDeps } from './context.ts'
import { scimDiscovery } from './discovery.ts'
import { scimGroups } from './groups.ts'
import { scimUsers } from './users.ts'
import { requestIdOf } from '../http/request-id.ts'

const UNDER = '/scim/v2'

type Answering = (call: ScimCall, params: Params) => Promise<ScimAnswer> | ScimAnswer

interface Declared {
  /** Below `/scim/v2` */
  readonly path: string
  readonly methods: Readonly<Partial<Record<EndpointMethod, Answering>>>
}

const declarations = (services: Services): readonly Declared[] => {
  const base = services.publicUrl + UNDER
  const discovery = scimDiscovery(base)
  const resources = { Users: scimUsers({ services, base }), Groups: scimGroups({ services, base }) }
  return [
    ...Object.entries(resources).flatMap(([name, resource]): readonly Declared[] => [
      { path: `/${name}`, methods: { GET: resource.list, POST: resource.create } },
      {
        path: `/${name}/{id}`,
        methods: {
          GET: (call, { id = '' }) => resource.read(id, call),
          PUT: (call, { id = '' }) => resource.replace(id, call),
          PATCH: (call, { id = '' }) => resource.patch(id, call),
          DELETE: (call, { id = '' }) => resource.remove(id, call),
        },
      },
    ]),
    { path: '/ServiceProviderConfig', methods: { GET: discovery.configuration } },
    ...(['ResourceTypes', 'Schemas'] as const).flatMap((name): readonly Declared[] => [
      { path: `/${name}`, methods: { GET: (call) => discovery.list(name, call) } },
      { path: `/${name}/{id}`, methods: { GET: (_, { id = '' }) => discovery.read(name, id) } },
    ]),
  ]
}

/** These are not supported, as discovery declares (RFC 7644 §3.7, §3.11, §3.4.3). */
const NOT_IMPLEMENTED: ReadonlySet<string> = new Set(['bulk', 'me', '.search'])

/** @throws ScimError 501 */
const mustBeSupported = (path: string): void => {
  const segments = path.split('/').filter((segment) => segment !== '')
  const [, , first = ''] = segments
  const last = segments.at(-1) ?? ''
  if (NOT_IMPLEMENTED.has(first.toLowerCase()) || last.toLowerCase() === '.search')
    throw new ScimError(501, null, `${last} is not supported.`)
}

const bearerOf = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +([\w.~+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1]

const mustBeAllowed = ({ scopes, roles }: ApiKeyCaller): void => {
  if (!scopes.includes('scim')) throw new ScimError(403, null, 'The API key lacks the scope scim.')
  if (!allows(roles, ['user_admin']))
    throw new ScimError(403, null, 'The service account of the API key lacks the user_admin role.')
}

export const scimServer = (services: Services, deps: ScimDeps): Part => {
  const { checkKey, clientIp, limits, onError } = deps

  const identified = async (
    request: IncomingMessage,
    response: ServerResponse,
    ip: string,
  ): Promise<ApiKeyCaller> => {
    const secret = bearerOf(request)
    const caller = secret === undefined ? undefined : await checkKey(secret, ip)
    const owner = caller?.keyId ?? networkOf(ip)
    if (!limits.scim.take(owner)) {
      setHeaders(response, limits.scim.headers(owner))
      throw new ScimError(429, null, 'Too many requests. Wait for the time in Retry-After.')
    }
    if (caller === undefined) {
      response.setHeader('WWW-Authenticate', 'Bearer')
      throw new ScimError(401, null, 'A valid API key is required as a bearer token.')
    }
    mustBeAllowed(caller)
    return caller
  }

  const failed = (error: unknown, response: ServerResponse, requestId: string): void => {
    const refusal = refusalOf(error)
    if (refusal.status === 500) onError(error, requestId)
    if (response.headersSent) response.destroy()
    else sendRefusal(response, refusal)
  }

  /** A client without access learns nothing about the resources, neither from responses nor from errors. */
  const answered = async (
    request: IncomingMessage,
    response: ServerResponse,
    answer: (call: ScimCall) => ReturnType<Answering>,
  ): Promise<void> => {
    const requestId = requestIdOf(request)
    neverStored(response, requestId)
    try {
      const ip = clientIp(request)
      const caller = await identified(request, response, ip)
      const [path = '', ...query] = (request.url ?? '').split('?')
      mustBeSupported(path)
      const call = {
        actor: actorOf(caller, ip, requestId),
        roles: caller.roles,
        query: new URLSearchParams(query.join('?')),
        body: () => readJson(request),
      }
      await sendResult(response, await answer(call))
    } catch (error) {
      failed(error, response, requestId)
    }
  }

  return {
    area: {
      kind: 'scim',
      under: ['/scim'],
      lenient: true,
      refuse: (request, response, allowed) =>
        answered(request, response, () => {
          if (allowed === null) throw new ScimError(404, null, 'Nothing was found at this address.')
          response.setHeader('Allow', allowed.filter((method) => method !== 'HEAD').join(', '))
          throw new ScimError(405, null, `${request.method ?? ''} is not supported here.`)
        }),
      failed: (error, request, response) => {
        failed(error, response, requestIdOf(request))
      },
    },
    endpoints: declarations(services).map(({ path, methods }): Endpoint => ({
      path: UNDER + path,
      handlers: Object.fromEntries(
        Object.entries(methods).map(([method, answer]): [string, Handler] => [
          method,
          (request, response, params) => answered(request, response, (call) => answer(call, params)),
        ]),
      ),
    })),
  }
}
