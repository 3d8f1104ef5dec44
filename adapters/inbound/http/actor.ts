import { actorIdOf, credentialOf, type Caller } from './caller.ts'
import type { HttpContext } from './route.ts'
import type { Actor } from '../../application/services/handle.ts'

const actorTypes = {
  anonymous: 'system',
  session: 'user',
  api_key: 'service_account',
  cli_token: 'cli',
  admin_token: 'cli',
} as const

/** Returns the actor of a request and its conditions: the idempotency key, and the version that the client has seen. */
export const actorOf = ({
  caller,
  http,
}: {
  readonly caller: Caller
  readonly http: Pick<HttpContext, 'ip' | 'userAgent' | 'correlationId' | 'idempotencyKey' | 'ifMatch'>
}): Actor => ({
  actorId: actorIdOf(caller),
  actorType: actorTypes[caller.kind],
  credential: credentialOf(caller),
  ip: http.ip,
  userAgent: http.userAgent,
  correlationId: http.correlationId,
  ...(http.idempotencyKey === undefined ? {} : { idempotencyKey: http.idempotencyKey }),
  ...(http.ifMatch === undefined ? {} : { ifVersion: http.ifMatch }),
})
