import { Type } from 'typebox'
import { accessTokenFormatOf } from '../../../domain/application/access-token-format.ts'
import { grantTypesOf, isConfidential } from '../../../domain/application/grant-types.ts'
import type {
  ApplicationRow,
  OidcApplicationRow,
  SamlApplicationRow,
} from '../../../read-models/queries/applications.ts'
import { idOf } from '../http/route.ts'
import { SamlRecord, toSamlRecord } from './saml-input.ts'
import { clearable, HttpsUrl, line, nullable, prose, Time, Version } from '../http/schemas.ts'

const address = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://app.example.com/callback'] })
const addresses = Type.Optional(Type.Array(address, { maxItems: 50 }))
const seconds = (minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum, description: 'seconds' }))

export const applicationName = line(200, 'Payroll')

/** What an administrator may write of an OpenID Connect application besides its name. */
export const applicationSettings = {
  description: clearable(prose(1000)),
  logoUrl: clearable(HttpsUrl),
  launchUrl: clearable(HttpsUrl),
  visibleInPortal: Type.Optional(Type.Boolean()),
  redirectUris: addresses,
  postLogoutRedirectUris: addresses,
  backchannelLogoutUri: clearable(HttpsUrl),
  allowedOrigins: addresses,
  idTokenLifetimeSeconds: seconds(60, 86_400),
  accessTokenLifetimeSeconds: seconds(60, 86_400),
  refreshTokenLifetimeSeconds: seconds(300, 31_536_000),
  refreshTokenRotation: Type.Optional(Type.Boolean()),
  refreshTokenGraceSeconds: seconds(0, 60),
  requirePkce: Type.Optional(Type.Boolean()),
}

export const groupIds = Type.Array(idOf('group'), { maxItems: 1000, uniqueItems: true })

const ApiGrantOfApplication = Type.Object({
  apiResourceId: idOf('apiResource'),
  scopes: Type.Array(Type.String()),
})

const common = {
  id: idOf('application'),
  name: Type.String(),
  description: nullable(Type.String()),
  status: Type.Enum(['active', 'disabled']),
  builtIn: Type.Boolean(),
  groupIds: Type.Array(idOf('group')),
  logoUrl: nullable(Type.String()),
  launchUrl: nullable(Type.String()),
  visibleInPortal: Type.Boolean(),
  createdAt: Time,
  updatedAt: Time,
  version: Version,
}

const oidc = {
  ...common,
  protocol: Type.Enum(['oidc']),
  type: Type.Enum(['web', 'spa', 'native', 'service', 'cli']),
  clientId: Type.String(),
  apiGrants: Type.Array(ApiGrantOfApplication),
  redirectUris: Type.Array(Type.String()),
  postLogoutRedirectUris: Type.Array(Type.String()),
  backchannelLogoutUri: nullable(Type.String()),
  allowedOrigins: Type.Array(Type.String()),
  idTokenLifetimeSeconds: Type.Integer(),
  accessTokenLifetimeSeconds: Type.Integer(),
  refreshTokenLifetimeSeconds: Type.Integer(),
  refreshTokenRotation: Type.Boolean(),
  refreshTokenGraceSeconds: Type.Integer(),
  requirePkce: Type.Boolean(),
  accessTokenFormat: Type.Enum(['opaque', 'jwt']),
  grantTypes: Type.Array(Type.String()),
  tokenEndpointAuthMethod: Type.Enum(['client_secret_basic', 'none']),
}

const SamlApplication = Type.Object(
  { ...common, protocol: Type.Enum(['saml']), type: Type.Null(), saml: SamlRecord },
  { title: 'SamlApplication' },
)

export const Application = Type.Union([Type.Object(oidc, { title: 'OidcApplication' }), SamlApplication], {
  title: 'Application',
})

export const CreatedApplication = Type.Union(
  [
    Type.Object(
      {
        ...oidc,
        clientSecret: Type.Optional(
          Type.String({ description: 'for web applications and services; shown only once' }),
        ),
      },
      { title: 'CreatedOidcApplication' },
    ),
    SamlApplication,
  ],
  { title: 'CreatedApplication' },
)

const toOidc = ({ settings, saml: _, ...row }: OidcApplicationRow) => ({
  ...row,
  ...settings,
  description: settings.description ?? null,
  logoUrl: settings.logoUrl ?? null,
  launchUrl: settings.launchUrl ?? null,
  backchannelLogoutUri: settings.backchannelLogoutUri ?? null,
  accessTokenFormat: accessTokenFormatOf(row.type, row.apiGrants),
  grantTypes: grantTypesOf(row.type),
  tokenEndpointAuthMethod: isConfidential(row.type) ? ('client_secret_basic' as const) : ('none' as const),
})

const toSaml = ({ settings, saml, clientId: _, apiGrants: __, ...row }: SamlApplicationRow) => ({
  ...row,
  ...settings,
  description: settings.description ?? null,
  logoUrl: settings.logoUrl ?? null,
  launchUrl: settings.launchUrl ?? null,
  saml: toSamlRecord(saml),
})

export const toApplication = (row: ApplicationRow) => (row.protocol === 'oidc' ? toOidc(row) : toSaml(row))

const secret = {
  id: idOf('clientSecret'),
  prefix: Type.String({ description: 'its first characters, to recognize it' }),
  status: Type.Enum(['active', 'expiring', 'expired', 'revoked']),
  createdAt: Time,
  expiresAt: nullable(Time),
  revokedAt: nullable(Time),
  lastUsedAt: nullable(Time),
}

export const ClientSecret = Type.Object(secret, { title: 'ClientSecret' })
export const NewClientSecret = Type.Object(
  { ...secret, clientSecret: Type.String({ description: 'shown only once' }) },
  { title: 'NewClientSecret' },
)
