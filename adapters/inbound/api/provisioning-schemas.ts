import { Type } from 'typebox'
import type { AccountRow, ProvisioningRow } from '../../../read-models/queries/provisioning.ts'
import type { Services } from '../../application/services/services.ts'
import { EndpointBaseUrl } from '../http/address-schemas.ts'
import { idOf } from '../http/route.ts'
import { openToken } from '../../outbound/provisioning/token.ts'
import { nullable, Time, Version } from '../http/schemas.ts'

export const baseUrl = {
  ...EndpointBaseUrl('https://app.example.com/scim/v2'),
  description: 'Base URL of the SCIM 2.0 service, without /Users',
}

export const scimToken = Type.String({
  minLength: 1,
  maxLength: 4096,
  // RFC 6750 §2.1, and tokens that applications issue in practice.
  pattern: '^[\\x21-\\x7e]+$',
  title: 'a bearer token of printable characters without spaces',
  description: 'Stored encrypted and never returned; if omitted, the current token is kept',
})

export const authScheme = Type.Enum(['bearer'])
export const userNameAttribute = Type.Enum(['email', 'externalId'])
const pushed = (what: string) => Type.Boolean({ description: `Whether to push ${what}` })

export const Attributes = Type.Object({
  name: pushed('the name'),
  email: pushed('the email address'),
  title: pushed('the title'),
  department: pushed('the department'),
})

export const Provisioning = Type.Object(
  {
    applicationId: idOf('application'),
    applicationName: Type.String(),
    baseUrl: Type.String(),
    authScheme,
    userNameAttribute,
    attributes: Attributes,
    enabled: Type.Boolean(),
    hasToken: Type.Boolean(),
    tokenReadable: Type.Boolean({
      description: 'false: the saved token cannot be decrypted with the current key; send it again',
    }),
    status: Type.Enum(['ok', 'error', 'paused', 'never_run'], {
      description:
        'paused: too many accounts were about to be deactivated, so an administrator must check first',
    }),
    lastSyncAt: nullable(Time),
    lastError: nullable(Type.String()),
    pausedOver: nullable(Type.Integer({ description: 'Number of deactivations that caused the pause' })),
    run: nullable(
      Type.Object({
        id: idOf('run'),
        startedAt: Time,
        total: nullable(Type.Integer({ description: 'Users to be provisioned' })),
        done: Type.Integer(),
      }),
    ),
    counts: Type.Object({
      linked: Type.Integer({ description: 'Users with an active account in the application' }),
      pendingCreate: Type.Integer({ description: 'Users whose account is not created yet' }),
      errors: Type.Integer({ description: 'Users whose last push failed' }),
    }),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'Provisioning' },
)

export const ProvisionedUser = Type.Object(
  {
    userId: idOf('user'),
    name: Type.String(),
    email: Type.String(),
    remoteId: nullable(Type.String()),
    state: Type.Enum(['linked', 'pending', 'deactivated', 'error']),
    lastPushedAt: nullable(Time),
    error: nullable(Type.String()),
    nextAttemptAt: nullable(Time),
  },
  { title: 'ProvisionedUser' },
)

/** Provisioning as responses show it, never with the token. */
export const provisioningViews = ({ vault }: Pick<Services, 'vault'>) => ({
  provisioning: ({ sealedToken, generation: _, ...row }: ProvisioningRow) => ({
    ...row,
    hasToken: true,
    tokenReadable: openToken(vault, { applicationId: row.applicationId, sealedToken }) !== null,
  }),
  account: ({ sortKey: _, ...row }: AccountRow) => row,
})
