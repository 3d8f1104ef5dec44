import { Type } from 'typebox'
import { apiKeyScopes, MAX_CIDRS } from '../../../domain/api-key/decider.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { AddressRange } from '../http/address-schemas.ts'
import { idOf } from '../http/route.ts'
import { clearable, line, nullable, prose, Time, timeInput, Version } from '../http/schemas.ts'

export const accountStatus = Type.Enum(['active', 'disabled', 'deleted'])
export const keyStatus = Type.Enum(['active', 'expired', 'revoked'])
export const scope = Type.Enum([...apiKeyScopes], {
  description: 'api: this API; scim: SCIM provisioning at /scim/v2',
})

export const accountName = line(100, 'Directory sync')
export const accountDetails = {
  description: clearable(prose(1000)),
  ownerId: clearable(
    idOf('user', {
      description:
        'Contact person for the account. It gives this user no rights, and suspending the user does not disable the account',
    }),
  ),
}

export const ServiceAccount = Type.Object(
  {
    id: idOf('user'),
    kind: Type.Enum(['service_account']),
    name: Type.String(),
    description: nullable(Type.String()),
    ownerId: nullable(idOf('user')),
    roles: Type.Array(Type.Enum([...roleKeys])),
    sshHostNames: Type.Array(Type.String(), {
      description: 'names and patterns of the hosts for which its keys get SSH host certificates',
    }),
    status: accountStatus,
    keyCount: Type.Integer({ minimum: 0, description: 'number of active keys' }),
    lastUsedAt: nullable({ ...Time, description: 'last use of any of its keys, within five minutes' }),
    createdBy: nullable(idOf('user')),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'ServiceAccount' },
)

const keyFields = {
  id: idOf('apiKey'),
  name: Type.String(),
  serviceAccountId: idOf('user'),
  scopes: Type.Array(scope),
  prefix: Type.String({ description: 'first characters of the key' }),
  status: keyStatus,
  expiresAt: Time,
  allowedCidrs: Type.Array(Type.String(), { description: 'empty: usable from any address' }),
  lastUsedAt: nullable({ ...Time, description: 'within five minutes' }),
  lastUsedIp: nullable(Type.String()),
  createdBy: nullable(idOf('user')),
  revokedAt: nullable(Time),
  createdAt: Time,
  updatedAt: Time,
  version: Version,
}

export const ApiKey = Type.Object(keyFields, { title: 'ApiKey' })

export const CreatedApiKey = Type.Object(
  {
    ...keyFields,
    key: Type.String({
      pattern: '^svk_[0-9A-Za-z]{49}$',
      description: 'the key, shown only once; the service stores only its hash',
    }),
  },
  { title: 'CreatedApiKey' },
)

/** The fields of a new key, except its account. */
export const newKey = {
  name: line(100, 'nightly-sync'),
  scopes: Type.Array(scope, { minItems: 1, uniqueItems: true }),
  expiresAt: clearable(
    timeInput(
      'A time in the future. Default: in 365 days, or the value of the setting apiKeyMaxDays, which is also the maximum',
    ),
  ),
  allowedCidrs: Type.Optional(
    Type.Array(AddressRange, {
      maxItems: MAX_CIDRS,
      description:
        'IP addresses or ranges from which the key can be used; from any other address it is rejected as unknown',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
  ),
}
