import type { IncomingMessage } from 'node:http'
import type { Role } from '../../../domain/roles.ts'
import { everything, readSelection, type Selection } from '../../../domain/scim/selection.ts'
import type { ResourceType } from '../../../domain/scim/schemas.ts'
import type { Services } from '../../application/services/services.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { ApiKeyCaller } from '../http/caller.ts'
import type { Buckets } from '../http/rate-limit.ts'

/** Dependencies of the SCIM server. */
export interface ScimDeps {
  /** Authenticates an API key; undefined for an invalid one */
  readonly checkKey: (secret: string, ip: string) => Promise<ApiKeyCaller | undefined>
  /** Returns the client address of a request, after trusted proxies */
  readonly clientIp: (request: IncomingMessage) => string
  readonly limits: Pick<Buckets, 'scim'>
  /** Called with failures that the client did not cause */
  readonly onError: (error: unknown, requestId: string) => void
}

export interface ScimContext {
  readonly services: Services
  /** Address of the SCIM server, without a trailing slash */
  readonly base: string
}

/** One request of an authorized directory. */
export interface ScimCall {
  readonly actor: Actor
  readonly roles: readonly Role[]
  readonly query: URLSearchParams
  /**
   * The body, read and parsed at first use.
   * @throws ScimError
   */
  readonly body: () => Promise<unknown>
}

/** A response: a JSON value, or its text in pieces. */
export interface ScimAnswer {
  readonly status: number
  readonly body?: unknown
  readonly pieces?: AsyncIterable<string>
  readonly location?: string
}

export const noContent: ScimAnswer = { status: 204 }

export const actorOf = ({ userId, keyId }: ApiKeyCaller, ip: string, correlationId: string): Actor => ({
  actorId: userId,
  actorType: 'scim',
  credential: { type: 'scim_key', id: keyId },
  ip,
  correlationId,
})

export const selectionOf = (query: URLSearchParams, { schema, extension }: ResourceType): Selection =>
  query.size === 0
    ? everything
    : readSelection(
        [schema.id, ...(extension === undefined ? [] : [extension.id])],
        query.get('attributes'),
        query.get('excludedAttributes'),
      )
