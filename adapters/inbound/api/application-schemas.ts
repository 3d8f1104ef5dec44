import { Type, type TProperties, type TSchema } from 'typebox'
import { accessTokenFormatOf } from '../../../domain/application/access-token-format.ts'
import { grantTypesOf, isConfidential } from '../../../domain/application/grant-types.ts'
import type {
  ApplicationRow,
  OidcApplicationRow,
  SamlApplicationRow,
} from '../../../read-models/queries/applications.ts'
import { applicationLogoPath } from '../../application/services/logo-path.ts'
import { fields, idOf, oneOf } from '../http/route.ts'
import {
  CompleteSaml,
  MetadataXml,
  SamlBesideMetadata,
  SamlChanges,
  SamlRecord,
  toSamlRecord,
} from './saml-input.ts'
import { HttpsUrl, NativeAddress, Origin, WebAddress } from '../http/address-schemas.ts'
import { clearable, line, nullable, prose, Time, Version } from '../http/schemas.ts'

const MAX_ADDRESSES = 50

const addresses = <T extends TSchema>(address: T, minItems = 0) =>
  Type.Array(address, { minItems, maxItems: MAX_ADDRESSES, uniqueItems: true })
const seconds = (minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum, description: 'seconds' }))

export const applicationName = line(200, 'Payroll')

/** The settings of every application, besides its name. */
const portalSettings = {
  description: clearable(prose(1000)),
  logoUrl: clearable(HttpsUrl),
  launchUrl: clearable(WebAddress),
  visibleInPortal: Type.Optional(Type.Boolean()),
}

/** The fields that an administrator can set for an OpenID Connect application of any type. */
const oidcSettings = {
  ...portalSettings,
  backchannelLogoutUri: clearable(HttpsUrl),
  allowedOrigins: Type.Optional(addresses(Origin)),
  idTokenLifetimeSeconds: seconds(60, 86_400),
  accessTokenLifetimeSeconds: seconds(60, 86_400),
  refreshTokenLifetimeSeconds: seconds(300, 31_536_000),
  refreshTokenRotation: Type.Optional(Type.Boolean()),
  refreshTokenGraceSeconds: seconds(0, 60),
}

export const groupIds = Type.Array(idOf('group'), { maxItems: 1000, uniqueItems: true })

/** The fields that can be changed. The application's type determines which of them apply, and the form of addresses. */
export const ApplicationChanges = fields({
  name: Type.Optional(applicationName),
  groupIds: Type.Optional(groupIds),
  ...oidcSettings,
  redirectUris: Type.Optional(addresses(NativeAddress)),
  postLogoutRedirectUris: Type.Optional(addresses(NativeAddress)),
  requirePkce: Type.Optional(Type.Boolean()),
  saml: Type.Optional(SamlChanges),
})

const named = { name: applicationName, groupIds: Type.Optional(groupIds) }
// Generators for Java and Python write wrong code for an optional constant that is true.
const pkceRequired = Type.Optional(Type.Unsafe<true>({ type: 'boolean', not: { const: false } }))

const registrable = <const T extends string, P extends TProperties>(type: T, title: string, properties: P) =>
  fields(
    {
      ...named,
      ...oidcSettings,
      protocol: Type.Literal('oidc'),
      type: Type.Literal(type),
      ...properties,
    },
    { title },
  )

const samlRegistration = {
  ...named,
  ...portalSettings,
  protocol: Type.Literal('saml'),
  // The same as in responses. A property whose only type is null breaks generated clients.
  type: Type.Optional(Type.Unsafe<null>({ type: ['string', 'null'], const: null })),
}

/** A new application: each type of OpenID Connect application, and SAML, has its own fields. */
export const ApplicationInput = oneOf([
  registrable('web', 'WebApplicationInput', {
    redirectUris: addresses(WebAddress, 1),
    postLogoutRedirectUris: Type.Optional(addresses(WebAddress)),
    requirePkce: Type.Optional(Type.Boolean()),
  }),
  registrable('spa', 'SinglePageApplicationInput', {
    redirectUris: addresses(WebAddress, 1),
    postLogoutRedirectUris: Type.Optional(addresses(WebAddress)),
    requirePkce: pkceRequired,
  }),
  registrable('native', 'NativeApplicationInput', {
    redirectUris: addresses(NativeAddress, 1),
    postLogoutRedirectUris: Type.Optional(addresses(NativeAddress)),
    requirePkce: pkceRequired,
  }),
  registrable('service', 'ServiceApplicationInput', {
    redirectUris: Type.Optional(Type.Array(WebAddress, { maxItems: 0 })),
    postLogoutRedirectUris: Type.Optional(addresses(WebAddress)),
    requirePkce: pkceRequired,
  }),
  fields({ ...samlRegistration, saml: CompleteSaml }, { title: 'SamlApplicationInput' }),
  fields(
    { ...samlRegistration, saml: Type.Optional(SamlBesideMetadata), metadataXml: MetadataXml },
    { title: 'SamlApplicationByMetadataInput' },
  ),
])

const ApiGrantOfApplication = Type.Object({
  apiResourceId: idOf('apiResource'),
  scopes: Type.Array(Type.String()),
})

export const applicationTypes = ['web', 'spa', 'native', 'service', 'cli'] as const

const common = {
  id: idOf('application'),
  name: Type.String(),
  description: nullable(Type.String()),
  status: Type.Enum(['active', 'disabled']),
  builtIn: Type.Boolean(),
  groupIds: Type.Array(idOf('group')),
  logoUrl: nullable(Type.String()),
  uploadedLogoUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'of the uploaded logo, which pages show in place of logoUrl; null for none. With `at` null too: only the current image is kept',
  }),
  launchUrl: nullable(Type.String()),
  visibleInPortal: Type.Boolean(),
  createdAt: Time,
  updatedAt: Time,
  version: Version,
}

const oidc = {
  ...common,
  protocol: Type.Enum(['oidc']),
  type: Type.Enum([...applicationTypes]),
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
  {
    ...common,
    protocol: Type.Enum(['saml']),
    type: nullable(Type.Enum([...applicationTypes])),
    saml: SamlRecord,
  },
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

const toOidc = ({ settings, saml: _, logoDigest: __, ...row }: OidcApplicationRow) => ({
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

const toSaml = ({
  settings,
  saml,
  clientId: _,
  apiGrants: __,
  logoDigest: ___,
  ...row
}: SamlApplicationRow) => ({
  ...row,
  ...settings,
  description: settings.description ?? null,
  logoUrl: settings.logoUrl ?? null,
  launchUrl: settings.launchUrl ?? null,
  saml: toSamlRecord(saml),
})

/** Returns a function that returns the record of a row. */
export const applicationRecords = (publicUrl: string) => (row: ApplicationRow) => {
  const { id, logoDigest } = row
  const uploadedLogoUrl = logoDigest === null ? null : publicUrl + applicationLogoPath(id, logoDigest)
  return row.protocol === 'oidc' ? { ...toOidc(row), uploadedLogoUrl } : { ...toSaml(row), uploadedLogoUrl }
}

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
export const CreatedClientSecret = Type.Object(
  { ...secret, clientSecret: Type.String({ description: 'shown only once' }) },
  { title: 'CreatedClientSecret' },
)
