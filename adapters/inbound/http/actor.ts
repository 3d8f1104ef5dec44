import { actorIdOf, credentialOf, type Caller } from './caller.ts'
import type { HttpContext } from './route.ts'
import type { Actor } from '../../application/services/handle.ts'

const actorTypes = {
  anonymous: 'system',
  session: 'user',
  api_key: 'service_account',
  cli_token: 'cli',
} as const

/** On whose behalf a request changes things, and under what conditions: its idempotency key, the version it has seen. */
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
