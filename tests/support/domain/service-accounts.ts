import fc, { type Arbitrary } from 'fast-check'
import type { ApiKeyCommand } from '../../../domain/api-key/decider.ts'
import { roleKeys } from '../../../domain/roles.ts'
import type { ServiceAccountCommand } from '../../../domain/service-account/decider.ts'
import { id } from '../fixed.ts'
import { command, fields, moment, roles, text } from './commands.ts'

const serviceAccountId = fc.constant(id('user', 11))

/** Names, patterns, and what is neither. */
const hostNames = fc.array(
  fc.constantFrom(
    ...['web01.example.com', '*.example.com', 'db', '192.0.2.7', '2001:db8::7'],
    ...['*', '*.com', 'UPPER.example.com', 'a,b', 'a\nb', 'a\0b', 'dot.example.com.', '127.1', ''],
  ),
  { maxLength: 3 },
)

export const serviceAccountCommands: Arbitrary<ServiceAccountCommand> = fc.oneof(
  command<ServiceAccountCommand>('create', { serviceAccountId, fields: fc.record({ name: text }) }),
  command<ServiceAccountCommand>('set_roles', { serviceAccountId, roles }),
  command<ServiceAccountCommand>('set_roles', { serviceAccountId, roles }),
  command<ServiceAccountCommand>('set_ssh_host_names', { serviceAccountId, hostNames }),
  command<ServiceAccountCommand>('certify_host', { serviceAccountId, hostNames: fc.option(hostNames) }),
  command<ServiceAccountCommand>('update', { serviceAccountId, fields, by: fc.constant(roleKeys) }),
  ...(['disable', 'enable', 'delete'] as const).map((type) =>
    command<ServiceAccountCommand>(type, { serviceAccountId, by: roles }),
  ),
)

const keyId = fc.constant(id('apiKey'))

/** Each key has its own id, and in these tests its own hash. */
export const apiKeyCommands: Arbitrary<ApiKeyCommand> = fc.oneof(
  command<ApiKeyCommand>('create', {
    key: fc.record({
      keyId,
      serviceAccountId,
      name: text,
      scopes: fc.subarray(['api', 'scim'], { minLength: 1 }),
      prefix: text,
      hash: text,
      expiresAt: moment,
      allowedCidrs: fc.constant([]),
    }),
    now: moment,
    latest: fc.option(moment),
  }),
  command<ApiKeyCommand>('revoke', { keyId }),
  command<ApiKeyCommand>('expire', { keyId, now: moment }),
)
