import { Type, type Static, type TSchema } from 'typebox'
import { fields, idOf } from '../http/route.ts'
import { WebAddress } from '../http/address-schemas.ts'
import { line, nullable, printable, Time, Version } from '../http/schemas.ts'

export const ProviderType = Type.Enum(['oidc', 'google', 'microsoft', 'github', 'saml'], {
  description:
    'google and microsoft: OpenID Connect with a known issuer; github: OAuth 2.0 and the API of GitHub; saml: SAML 2.0',
})

const ClaimName = printable(200, 'the name of a claim or attribute')
const mapped = ['email', 'name', 'givenName', 'familyName', 'department', 'title', 'groups'] as const

const optionalOf = <T extends Readonly<Record<string, TSchema>>>(schemas: T) =>
  Object.fromEntries(Object.entries(schemas).map(([field, schema]) => [field, Type.Optional(schema)])) as {
    [F in keyof T]: ReturnType<typeof Type.Optional<T[F]>>
  }

/** The claims of OpenID Connect Core §5.1, and the usual one for groups. */
export const defaultMapping = {
  email: 'email',
  name: 'name',
  givenName: 'given_name',
  familyName: 'family_name',
  groups: 'groups',
} as const

const many = <T extends Parameters<typeof Type.Array>[0]>(items: T, maxItems: number, description: string) =>
  Type.Array(items, { maxItems, uniqueItems: true, description })

/** How OpenID providers and GitHub are reached. */
const oauthConnection = {
  clientId: printable(255, 'the client id that the provider assigned'),
  clientAuthentication: Type.Enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt'], {
    description: 'private_key_jwt: the provider reads the key from the `jwks_uri` of this service',
  }),
  scopes: many(
    Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}$', title: 'a scope (RFC 6749 §3.3)' }),
    20,
    'requested besides openid; default: profile, email; for github: read:user, user:email',
  ),
} as const

/** How SAML identity providers are reached. */
const samlConnection = {
  ssoUrl: Type.String({
    ...WebAddress,
    description: 'the address of the SingleSignOnService with the binding HTTP-Redirect',
  }),
  certificates: Type.Array(
    Type.String({
      maxLength: 16_384,
      pattern: '^[A-Za-z0-9+/=\\s-]+$',
      title: 'a certificate in PEM, or its base64 without the PEM lines',
    }),
    { minItems: 1, maxItems: 10, uniqueItems: true, description: 'with whose keys the provider signs' },
  ),
  nameIdFormat: nullable(
    Type.Enum(['email', 'persistent', 'unspecified'], {
      description:
        'requested with NameIDPolicy; null: the provider chooses. A persistent name id cannot come to belong to somebody else.',
    }),
  ),
  acceptUnsolicited: Type.Boolean({
    description:
      'Whether responses are accepted that no request asked for (a sign-in that starts at the provider). Anyone with an account at the provider can then sign others in to that account.',
  }),
} as const

/** The fields of every provider that can change. */
const settings = {
  attributeMapping: Type.Object(
    Object.fromEntries(mapped.map((field) => [field, Type.Optional(ClaimName)])) as Record<
      (typeof mapped)[number],
      ReturnType<typeof Type.Optional<typeof ClaimName>>
    >,
    {
      additionalProperties: false,
      description: 'the claims or attributes from which user fields are read; NameID is the name id of SAML',
    },
  ),
  groupMapping: many(
    fields({ value: printable(255, 'a value of the groups claim'), groupId: idOf('group') }),
    500,
    'At each sign-in, the user becomes a member of these groups, or stops being one.',
  ),
  domains: many(
    printable(253, 'a domain of the organization'),
    100,
    'Users who enter an address of these domains are sent to the provider. A domain counts only while it is verified.',
  ),
  requiredForDomains: Type.Boolean({
    description:
      'Users of the domains can sign in only with this provider, except the break-glass account, and global administrators with a passkey or security key.',
  }),
  linking: Type.Enum(['email_verified', 'manual', 'never'], {
    description:
      'email_verified: an existing account is offered for linking if the provider verified its address, and the domain is one of `domains`; manual: only users themselves link accounts',
  }),
  provisioning: Type.Enum(['jit', 'none'], {
    description:
      'jit: unknown users of the domains, with verified addresses, get an account at their first sign-in',
  }),
  jitGroupIds: many(idOf('group'), 50, 'groups of accounts that are created'),
  syncProfile: Type.Boolean({
    description: 'each sign-in updates name, department and title; never the email address',
  }),
  trustEmailVerified: Type.Boolean({
    description:
      'The provider is trusted to verify addresses: those that it calls verified, and, if it never says so, those of `domains`.',
  }),
  phishingResistantValues: many(
    printable(255, 'a value of `acr` or `amr`, or of AuthnContextClassRef'),
    20,
    'with which a sign-in at the provider counts as phishing-resistant; for example `phr` or `hwk`',
  ),
} as const

const name = line(100, 'Contoso')
const clientSecret = printable(1024, 'the client secret that the provider assigned; never returned')

export const IdentityProvider = Type.Object(
  {
    id: idOf('identityProvider'),
    type: ProviderType,
    name: Type.String(),
    enabled: Type.Boolean(),
    issuer: Type.String({ description: 'the issuer identifier; the entity id of a SAML provider' }),
    callbackUrl: Type.String({
      description:
        'the redirect URI, or for SAML the assertion consumer service, to register at the provider',
    }),
    metadataUrl: Type.Optional(
      Type.String({
        description: 'SAML only: the metadata of the service, and its entity id, at the provider',
      }),
    ),
    backchannelLogoutUrl: Type.Optional(
      Type.String({
        description:
          'OpenID providers: the back-channel logout URI. Users who sign out there are signed out here.',
      }),
    ),
    securityEventsUrl: Type.Optional(
      Type.String({
        description:
          'OpenID providers: where shared signals are pushed (RFC 8935). Session-revoked and account-disabled events end the sessions that the provider has opened.',
      }),
    ),
    hasSecret: Type.Boolean(),
    ...optionalOf(oauthConnection),
    ...optionalOf(samlConnection),
    ...settings,
    linkedAccountCount: Type.Integer(),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'IdentityProvider' },
)

const changeable = {
  ...optionalOf(oauthConnection),
  ...optionalOf(samlConnection),
  ...optionalOf(settings),
  clientSecret: Type.Optional(clientSecret),
  metadataXml: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 262_144,
      description:
        'SAML only: metadata of the provider, from which entity id, address and certificates are read',
    }),
  ),
}

export const newIdentityProvider = fields({
  ...changeable,
  name,
  type: ProviderType,
  entityId: Type.Optional(
    printable(1024, 'required for type saml without metadataXml; compared exactly, and never changes'),
  ),
  issuer: Type.Optional(
    printable(
      2000,
      'required for type oidc; compared exactly with what the provider says, and never changes. For github: the address of a GitHub Enterprise Server',
    ),
  ),
  tenantId: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
      description: 'required for type microsoft: the id of the tenant',
    }),
  ),
})

export const identityProviderChange = fields({ ...changeable, name: Type.Optional(name) })

/** What administrators send about how a provider is reached. */
export type ConnectionInput = Partial<
  Omit<Static<typeof newIdentityProvider>, keyof typeof settings | 'name' | 'type' | 'clientSecret'>
>
