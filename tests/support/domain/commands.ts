import fc, { type Arbitrary } from 'fast-check'
import type { ApiResourceCommand } from '../../../domain/api-resource/decider.ts'
import type { ApplicationCommand } from '../../../domain/application/decider.ts'
import type { ApplicationLogoCommand } from '../../../domain/application-logo/decider.ts'
import type { DeviceCommand } from '../../../domain/device/decider.ts'
import type { DeviceAuthorizationCommand } from '../../../domain/device-authorization/decider.ts'
import type { GrantCommand } from '../../../domain/grant/decider.ts'
import type { GroupCommand } from '../../../domain/group/decider.ts'
import type { GroupRule } from '../../../domain/group/rule.ts'
import type { MembershipCommand } from '../../../domain/membership/decider.ts'
import type { OrganizationCommand } from '../../../domain/organization/decider.ts'
import type { ProvisionedAccountEvent } from '../../../domain/provisioned-account/events.ts'
import type { ProvisioningCommand } from '../../../domain/provisioning/decider.ts'
import { roleKeys } from '../../../domain/roles.ts'
import type { SessionCommand } from '../../../domain/session/decider.ts'
import type { SignInCommand } from '../../../domain/sign-in/decider.ts'
import type { SamlCertificateCommand } from '../../../domain/saml-certificate/decider.ts'
import type { SigningKeyCommand } from '../../../domain/signing-key/decider.ts'
import type { UserCommand } from '../../../domain/user/decider.ts'
import { FIRST_ADMINISTRATOR } from '../../../domain/user/placeholder.ts'
import { account, authenticator, passkey } from '../sign-in/ada.ts'
import { at, id } from '../fixed.ts'

// Random commands over few ids, hashes and moments, so that they often affect each other.
const few = fc.integer({ min: 1, max: 3 })
export const text = fc.constantFrom('a', 'b', 'c')
export const moment = fc.integer({ min: 0, max: 9 }).map(at)
export const maybe = <T>(arbitrary: Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

export const roles = fc.array(fc.constantFrom(...roleKeys), { maxLength: 3 })
const link = fc.record({
  tokenHash: text,
  mailedTokenHash: fc.constantFrom(null, 'mailed'),
  expiresAt: moment,
})
const method = fc.oneof(few.map(passkey), few.map(authenticator))
const methodId = method.map((one) => one.methodId)
const hashes = fc.subarray(['a', 'b', 'c'])
export const fields = fc.dictionary(
  fc.constantFrom('name', 'department', 'title', 'custom', '__proto__', 'toString'),
  fc.oneof(text, fc.dictionary(text, text, { maxKeys: 2 }), fc.constant(null)),
  { maxKeys: 3 },
)

/** A command of the type; members that are undefined are removed. */
export const command = <C extends { type: string }>(
  type: C['type'],
  members: Readonly<Record<string, Arbitrary<unknown>>> = {},
): Arbitrary<C> =>
  fc.record(members).map(
    (some) =>
      ({
        type,
        ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)),
      }) as C,
  )

export const userCommands = (
  userId: Arbitrary<string> = fc.constant(id('user')),
  otherActiveGlobalAdmins: Arbitrary<number> = fc.nat(1),
): Arbitrary<UserCommand> => {
  const linked = few.map(account)
  const enabledProviderIds = fc.constantFrom([], [id('identityProvider')])
  const by = fc.oneof(fc.constant('system' as const), fc.constant(['global_admin']), roles)
  const of = (type: UserCommand['type'], members: Readonly<Record<string, Arbitrary<unknown>>> = {}) =>
    command<UserCommand>(type, { userId, ...members })
  return fc.oneof(
    of('invite', {
      profile: fc.record({ email: fc.oneof(text, fc.constant(FIRST_ADMINISTRATOR)), name: text }),
      source: fc.constant('local'),
      link: maybe(link),
      roles: maybe(roles),
    }),
    of('issue_link', { by, link }),
    of('enroll', {
      tokenHash: fc.oneof(text, fc.constant('mailed')),
      now: moment,
      method,
      recoveryCodes: maybe(hashes),
      profile: maybe(fc.record({ email: text, name: text })),
    }),
    of('verify_email', { email: text, raises: fc.nat(2) }),
    of('open_by_mail', { email: text, raises: fc.nat(2) }),
    of('update', { by, fields: fc.oneof(fields, fc.record({ email: text })) }),
    of('suspend', { by, reason: maybe(text), otherActiveGlobalAdmins }),
    of('reactivate', { by }),
    of('delete', { by, otherActiveGlobalAdmins }),
    of('erase'),
    of('set_roles', { roles, otherActiveGlobalAdmins }),
    of('add_method', { method, recoveryCodes: maybe(hashes) }),
    of('rename_method', { methodId, name: text }),
    of('remove_method', { methodId, by: fc.oneof(by, fc.constant('self')), enabledProviderIds }),
    of('generate_recovery_codes', { hashes }),
    of('use_recovery_code', { hash: text }),
    of('lock_out', { now: moment, until: moment }),
    of('unlock', { by }),
    of('expire_lockout', { now: moment }),
    of('link_account', { account: linked }),
    of('unlink_account', {
      linkId: linked.map(({ linkId }) => linkId),
      by: fc.oneof(by, fc.constant('self')),
      enabledProviderIds,
    }),
    of('create_federated', { profile: fc.record({ email: text, name: text }), account: linked }),
    of('enroll_federated', { email: text, account: linked }),
    of('reset_methods', { by, link }),
    of('revoke_sessions', { by }),
  )
}

const rule: Arbitrary<GroupRule | null> = fc.constantFrom(
  null,
  { match: 'all', conditions: [] },
  { match: 'all', conditions: [{ attribute: 'title', operator: 'present' }] },
  { match: 'any', conditions: [{ attribute: 'custom.x', operator: 'in', value: ['a'] }] },
)
const groupId = fc.constant(id('group'))

export const groupCommands: Arbitrary<GroupCommand> = fc.oneof(
  command<GroupCommand>('create', {
    groupId,
    fields: fc.record({ name: text, ownerIds: fc.constant([]) }),
    source: fc.constant('local'),
    rule,
  }),
  command<GroupCommand>('update', { groupId, fields, rule: maybe(rule) }),
  command<GroupCommand>('delete', { groupId, usedBy: fc.array(text, { maxLength: 1 }) }),
)

const source = fc.constantFrom(
  { via: 'assigned' },
  { via: 'rule' },
  { via: 'scim' },
  { via: 'package', sourceId: '1' },
  { via: 'package', sourceId: '2' },
  { via: 'lifecycle', sourceId: '1' },
)
const member = { groupId, userId: fc.constant(id('user')) }

export const membershipCommands: Arbitrary<MembershipCommand> = fc.oneof(
  fc
    .tuple(command<MembershipCommand>('grant', { ...member, now: moment, expiresAt: maybe(moment) }), source)
    .map(([grant, by]) => ({ ...grant, ...by })),
  fc
    .tuple(command<MembershipCommand>('withdraw', { ...member, reason: fc.constant('removed') }), source)
    .map(([withdraw, by]) => ({ ...withdraw, ...by })),
  command<MembershipCommand>('remove', member),
  command<MembershipCommand>('expire', { ...member, now: moment }),
)

const uris = fc.subarray(
  ['https://a.example/', 'http://localhost/', 'com.example.a:/', 'javascript:x', 'nonsense'],
  {
    maxLength: 2,
  },
)
const settings = fc.oneof(
  fc.record({ name: text, redirectUris: uris }),
  fc.record({ postLogoutRedirectUris: uris, allowedOrigins: uris, requirePkce: fc.boolean() }),
  fields,
)
const grant = fc.record({ apiResourceId: text, grantId: text, scopes: fc.array(text, { maxLength: 3 }) })
const applicationId = fc.constant(id('application'))

const samlInput = fc.record(
  {
    entityId: text,
    acsUrls: fc.constantFrom([], ['https://a.example/acs'], ['http://a.example/acs']),
    attributeNames: fc.record({ email: text, groups: text }, { requiredKeys: [] }),
    signResponse: fc.boolean(),
    defaultRelayState: fc.option(text),
  },
  { requiredKeys: ['entityId', 'acsUrls'] },
)

/** `now` is set by the test, whose clock does not go backwards. */
export const applicationCommands: Arbitrary<ApplicationCommand> = fc.oneof<Arbitrary<ApplicationCommand>[]>(
  ...(
    [
      [
        'create',
        {
          applicationType: fc.constantFrom('web', 'spa', 'native', 'service', 'cli'),
          clientId: text,
          builtIn: fc.boolean(),
          settings: fc.record({ name: text, redirectUris: fc.constantFrom([], ['https://a.example/']) }),
          groupIds: fc.array(text, { maxLength: 2 }),
          secret: maybe(fc.record({ secretId: text, prefix: text, hash: text })),
        },
      ],
      [
        'create_saml',
        { fields: fc.record({ name: text }), saml: samlInput, groupIds: fc.array(text, { maxLength: 2 }) },
      ],
      ['update', { settings }],
      [
        'update',
        { settings: fc.record({ description: text }, { requiredKeys: [] }), saml: maybe(samlInput) },
      ],
      ['replace_saml', { saml: samlInput }],
      ['set_groups', { groupIds: fc.array(text, { maxLength: 3 }) }],
      ['assign_group', { groupId: text }],
      ['unassign_group', { groupId: text }],
      ['set_api_grant', { apiGrant: grant }],
      ['remove_api_grant', { apiResourceId: text }],
      ['set_api_grants', { apiGrants: fc.array(grant, { maxLength: 2 }) }],
      ['create_secret', { expiresAt: maybe(moment) }],
      ['rotate_secret', { expiresAt: maybe(moment), oldExpiresAt: moment }],
      ['revoke_secret', { secretId: few.map(String) }],
      ['rotate_secret', { oldExpiresAt: fc.constant(at(9)) }],
      ['create_secret', {}],
      ['disable', {}],
      ['enable', {}],
      ['delete', {}],
    ] as const
  ).map(([type, members]) => command<ApplicationCommand>(type, { applicationId, ...members })),
)

const apiResourceId = fc.constant(id('apiResource'))
const scopes = fc.array(fc.record({ name: text, description: text }, { requiredKeys: ['name'] }), {
  maxLength: 3,
})
const granted = fc.array(fc.record({ application: text, scopes: fc.array(text, { maxLength: 1 }) }), {
  maxLength: 1,
})

export const apiResourceCommands: Arbitrary<ApiResourceCommand> = fc.oneof(
  command<ApiResourceCommand>('create', {
    apiResourceId,
    identifier: fc.constantFrom('urn:a', 'https://a.example', 'nonsense'),
    fields: fc.record({ name: text, ownerApplicationIds: fc.constant([]) }),
    scopes,
  }),
  command<ApiResourceCommand>('update', { apiResourceId, fields, scopes: maybe(scopes), granted }),
  command<ApiResourceCommand>('delete', { apiResourceId, granted }),
)

const signInMethods = fc.subarray(['passkey', 'authenticator_code', 'identity_provider', 'recovery_code'], {
  minLength: 1,
})

export const sessionCommands: Arbitrary<SessionCommand> = fc.oneof(
  command<SessionCommand>('start', {
    session: fc.record({
      sessionId: text,
      userId: text,
      tokenHash: text,
      methods: signInMethods,
      authTime: moment,
      expiresAt: moment,
    }),
  }),
  command<SessionCommand>('reauthenticate', {
    sessionId: text,
    proof: fc.record({
      userId: text,
      tokenHash: text,
      methods: signInMethods,
      authTime: moment,
      expiresAt: moment,
    }),
  }),
  command<SessionCommand>('spend_proof', { sessionId: text, userId: text, intoSessionId: text }),
  command<SessionCommand>('end', { sessionId: text, reason: fc.constantFrom('sign_out', 'admin_revoked') }),
)

export const grantCommands: Arbitrary<GrantCommand> = fc.oneof(
  command<GrantCommand>('issue', { grant: fc.record({ grantId: text, applicationId: text, userId: text }) }),
  command<GrantCommand>('revoke', { grantId: text, reason: fc.constantFrom('code_reused', 'revoked') }),
)

const signingKey = fc.record({ keyId: few.map((n) => id('signingKey', n)), kid: text })

export const deviceAuthorizationCommands: Arbitrary<DeviceAuthorizationCommand> = fc.oneof(
  command<DeviceAuthorizationCommand>('approve', {
    login: fc.record({ deviceLoginId: text, userId: text, grantId: text }),
  }),
  command<DeviceAuthorizationCommand>('deny', { deviceLoginId: text, applicationId: text, userId: text }),
)

const deviceId = fc.constant(id('device'))

export const deviceCommands: Arbitrary<DeviceCommand> = fc.oneof(
  command<DeviceCommand>('register', { device: fc.record({ deviceId, userId: text, name: text }) }),
  command<DeviceCommand>('rename', { deviceId, name: text }),
  command<DeviceCommand>('trust', { deviceId, now: moment, expiresAt: fc.option(moment) }),
  command<DeviceCommand>('remove', { deviceId, by: fc.constantFrom('self', 'administrator') }),
  ...(['untrust', 'block', 'unblock'] as const).map((type) => command<DeviceCommand>(type, { deviceId })),
)

export const signInCommands: Arbitrary<SignInCommand> = command<SignInCommand>('record', {
  attempt: fc.record({ signInId: text, email: fc.option(text) }),
})

const certificateId = few.map((n) => id('samlCertificate', n))
const certificate = fc.record({ certificateId, certificatePem: text })

export const samlCertificateCommands: Arbitrary<SamlCertificateCommand> = fc.oneof(
  command<SamlCertificateCommand>('ensure', { active: certificate, next: certificate }),
  command<SamlCertificateCommand>('rotate', { activeId: certificateId, next: certificate }),
  command<SamlCertificateCommand>('delete', { certificateId, next: certificate }),
)

export const signingKeyCommands: Arbitrary<SigningKeyCommand> = fc.oneof(
  command<SigningKeyCommand>('ensure', { active: signingKey, next: signingKey }),
  command<SigningKeyCommand>('rotate', {
    activeKeyId: few.map((n) => id('signingKey', n)),
    next: signingKey,
    retiresAt: moment,
  }),
  command<SigningKeyCommand>('retire', { keyId: few.map((n) => id('signingKey', n)), now: moment }),
)

/** Images are opaque here: the digest stands for the content. */
export const applicationLogoCommands: Arbitrary<ApplicationLogoCommand> = fc.oneof(
  command<ApplicationLogoCommand>('set', {
    applicationId,
    logo: text.map((digest) => ({ mediaType: 'image/png', digest, content: digest })),
  }),
  command<ApplicationLogoCommand>('delete', { applicationId }),
)

export const organizationCommands: Arbitrary<OrganizationCommand> = command<OrganizationCommand>('update', {
  fields: fc.record({ organizationName: text, supportEmail: maybe(text) }),
})

const generation = fc.integer({ min: 1, max: 2 })

export const provisioningCommands: Arbitrary<ProvisioningCommand> = fc.oneof(
  command<ProvisioningCommand>('configure', {
    applicationId,
    baseUrl: fc.constantFrom('https://a.example/scim', 'https://b.example/scim/', 'nonsense'),
    authScheme: fc.constant('bearer'),
    userNameAttribute: fc.constantFrom('email', 'externalId'),
    attributes: fc.record({
      name: fc.boolean(),
      email: fc.boolean(),
      title: fc.boolean(),
      department: fc.boolean(),
    }),
    enabled: fc.boolean(),
    sealedToken: maybe(text),
  }),
  ...(['remove', 'resume', 'recover'] as const).map((type) =>
    command<ProvisioningCommand>(type, { applicationId }),
  ),
  command<ProvisioningCommand>('request_sync', { applicationId, runId: fc.constant(id('run')) }),
  command<ProvisioningCommand>('fail', {
    applicationId,
    generation,
    error: fc.constantFrom('timeout', 'unauthorized'),
    httpStatus: fc.constantFrom(null, 401),
  }),
  command<ProvisioningCommand>('pause', {
    applicationId,
    generation,
    deactivations: fc.nat(9),
    linked: fc.nat(9),
  }),
)

const whose = { applicationId, userId: fc.constant(id('user')), generation }

export const provisionedAccountReports: Arbitrary<ProvisionedAccountEvent> = fc.oneof(
  fc.record({
    type: fc.constant('provisioned_account.created' as const),
    data: fc.record({ ...whose, remoteId: text, adopted: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant('provisioned_account.updated' as const),
    data: fc.record({ ...whose, reactivated: fc.boolean() }),
  }),
  fc.record({ type: fc.constant('provisioned_account.deactivated' as const), data: fc.record(whose) }),
)
