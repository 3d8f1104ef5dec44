import { Type } from 'typebox'
import { apiKeyScopes, MAX_CIDRS } from '../../../domain/api-key/decider.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { idOf } from '../http/route.ts'
import { clearable, line, nullable, prose, Time, Version } from '../http/schemas.ts'

export const accountStatus = Type.Enum(['active', 'disabled', 'deleted'])
export const keyStatus = Type.Enum(['active', 'expired', 'revoked'])
export const scope = Type.Enum([...apiKeyScopes], {
  description: 'api: this API; scim: provisioning at /scim/v2',
})

export const accountName = line(100, 'Directory sync')
export const accountDetails = {
  description: clearable(prose(1000)),
  ownerId: clearable(
    idOf('user', {
      description:
        "Whom to ask about it; gives that person nothing, and their suspension does not end the account's access",
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
    status: accountStatus,
    keyCount: Type.Integer({ minimum: 0, description: 'keys that are good' }),
    lastUsedAt: nullable({ ...Time, description: 'of any of its keys, to five minutes' }),
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
  prefix: Type.String({ description: 'the first characters of the key' }),
  status: keyStatus,
  expiresAt: Time,
  allowedCidrs: Type.Array(Type.String(), { description: 'empty: it may be used from anywhere' }),
  lastUsedAt: nullable({ ...Time, description: 'to five minutes' }),
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
      description: 'the key; shown this once, only a hash of it is stored',
    }),
  },
  { title: 'CreatedApiKey' },
)

/** What is said of a new key, but for its account. */
export const newKey = {
  name: line(100, 'nightly-sync'),
  scopes: Type.Array(scope, { minItems: 1, uniqueItems: true }),
  expiresAt: clearable({
    ...Time,
    description:
      'A time to come. Left out: in 365 days; if the setting apiKeyMaxDays is set, that many days at most',
  }),
  allowedCidrs: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
      maxItems: MAX_CIDRS,
      description: 'Addresses or ranges that it may be used from; from elsewhere it is as good as unknown',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
  ),
}
