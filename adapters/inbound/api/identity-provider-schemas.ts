import { Type } from 'typebox'
import { fields, idOf } from '../http/route.ts'
import { line, printable, Time, Version } from '../http/schemas.ts'

export const ProviderType = Type.Enum(['oidc', 'google', 'microsoft'], {
  description: 'google and microsoft: OpenID Connect with a known issuer',
})

const ClaimName = printable(200, 'the name of a claim')
const mapped = ['email', 'name', 'givenName', 'familyName', 'department', 'title', 'groups'] as const

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

/** The fields that can change. */
const settings = {
  clientId: printable(255, 'the client id that the provider assigned'),
  clientAuthentication: Type.Enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt'], {
    description: 'private_key_jwt: the provider reads the key from the `jwks_uri` of this service',
  }),
  scopes: many(
    Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}$', title: 'a scope (RFC 6749 §3.3)' }),
    20,
    'requested besides openid; default: profile, email',
  ),
  attributeMapping: Type.Object(
    Object.fromEntries(mapped.map((field) => [field, Type.Optional(ClaimName)])) as Record<
      (typeof mapped)[number],
      ReturnType<typeof Type.Optional<typeof ClaimName>>
    >,
    { additionalProperties: false, description: 'the claims from which user fields are read' },
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
    printable(255, 'a value of `acr` or `amr`'),
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
    issuer: Type.String(),
    callbackUrl: Type.String({ description: 'the redirect URI to register at the provider' }),
    hasSecret: Type.Boolean(),
    ...settings,
    linkedAccountCount: Type.Integer(),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'IdentityProvider' },
)

const optional = Object.fromEntries(
  Object.entries(settings).map(([field, schema]) => [field, Type.Optional(schema)]),
) as { [F in keyof typeof settings]: ReturnType<typeof Type.Optional<(typeof settings)[F]>> }

export const newIdentityProvider = fields({
  ...optional,
  name,
  type: ProviderType,
  clientId: settings.clientId,
  clientSecret: Type.Optional(clientSecret),
  issuer: Type.Optional(
    printable(
      2000,
      'required for type oidc; compared exactly with what the provider says, and never changes',
    ),
  ),
  tenantId: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
      description: 'required for type microsoft: the id of the tenant',
    }),
  ),
})

export const identityProviderChange = fields({
  ...optional,
  name: Type.Optional(name),
  clientSecret: Type.Optional(clientSecret),
})
