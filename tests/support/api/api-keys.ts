import { apiKeyCommands } from '../../../adapters/application/commands/api-keys.ts'
import { serviceAccountCommands } from '../../../adapters/application/commands/service-accounts.ts'
import type { ApiKeyScope } from '../../../domain/api-key/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Role } from '../../../domain/roles.ts'
import { system, type TestService } from '../service/service.ts'

/** A service account with one key, for a program. */
export interface TestKey {
  readonly key: string
  readonly keyId: string
  readonly serviceAccountId: string
  /** The `Authorization` header */
  readonly headers: { readonly Authorization: string }
  /** Sends JSON to the API with the key */
  readonly send: (method: string, path: string, body?: unknown) => ReturnType<TestService['api']>
}

let made = 0

/** Creates a service account with these roles and SSH host names, and a key of it with these scopes. */
export const apiKey = async (
  service: Pick<TestService, 'core' | 'api'>,
  {
    name = `Program ${String(++made)}`,
    roles = [],
    sshHostNames = [],
    scopes = ['api'],
    expiresAt,
    allowedCidrs = [],
  }: {
    readonly name?: string
    readonly roles?: readonly Role[]
    readonly sshHostNames?: readonly string[]
    readonly scopes?: readonly ApiKeyScope[]
    readonly expiresAt?: string
    readonly allowedCidrs?: readonly string[]
  } = {},
): Promise<TestKey> => {
  const { services } = service.core
  const accounts = serviceAccountCommands(services)
  const { serviceAccountId } = await accounts.create({ name }, system)
  if (roles.length > 0) await accounts.setRoles(serviceAccountId, roles, system)
  if (sshHostNames.length > 0) await accounts.setSshHostNames(serviceAccountId, sshHostNames, system)
  const { keyId, key } = await apiKeyCommands(services).create(
    {
      serviceAccountId,
      name: `${name}'s key`,
      scopes,
      allowedCidrs,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
    ['global_admin'],
    new DomainError('ERR_NOT_FOUND'),
    system,
  )
  const headers = { Authorization: `Bearer ${key}` }
  return {
    key,
    keyId,
    serviceAccountId,
    headers,
    send: (method, path, body) => service.api(method, path, { headers, body }),
  }
}
