import { applicationDecider, type ApplicationCommand } from '../../../domain/application/decider.ts'
import type {
  ApplicationEvent,
  OidcApplicationType,
  OidcSettings,
} from '../../../domain/application/events.ts'
import { at, id } from '../fixed.ts'
import { given } from '../domain/given.ts'

// The life of one application in events, and its commands.
type Of<T extends ApplicationCommand['type']> = Extract<ApplicationCommand, { type: T }>

export const applicationId = id('application')
export const groups = [id('group', 1), id('group', 2), id('group', 3)] as const

export const oidc: OidcSettings = {
  redirectUris: ['https://payroll.example.com/cb'],
  postLogoutRedirectUris: [],
  allowedOrigins: [],
  idTokenLifetimeSeconds: 900,
  accessTokenLifetimeSeconds: 900,
  refreshTokenLifetimeSeconds: 28_800,
  refreshTokenRotation: true,
  refreshTokenGraceSeconds: 0,
  requirePkce: true,
}

export const create: Of<'create'> = {
  type: 'create',
  applicationId,
  applicationType: 'web',
  clientId: 'sv_1',
  builtIn: false,
  settings: { name: 'Payroll', redirectUris: oidc.redirectUris },
  groupIds: [],
}

export const created = (
  applicationType: OidcApplicationType = 'web',
  settings: Partial<OidcSettings> = {},
  builtIn = false,
): ApplicationEvent => ({
  type: 'application.created',
  data: {
    applicationId,
    protocol: 'oidc',
    applicationType,
    clientId: 'sv_1',
    builtIn,
    fields: { name: 'Payroll', visibleInPortal: true },
    oidc: { ...oidc, ...settings },
  },
})
export const service = created('service', { redirectUris: [] })
export const builtIn = created('cli', { redirectUris: [] }, true)

export const secret = (n: number, expiresAt?: string) => ({
  secretId: id('clientSecret', n),
  prefix: `svs_${String(n).padStart(4, '0')}`,
  hash: String(n),
  ...(expiresAt === undefined ? {} : { expiresAt }),
})
export const secretCreated = (n: number, rotation = false, expiresAt?: string): ApplicationEvent => ({
  type: 'application.secret_created',
  data: { applicationId, ...secret(n, expiresAt), rotation },
})
export const secretRevoked = (n: number): ApplicationEvent => ({
  type: 'application.secret_revoked',
  data: { applicationId, secretId: id('clientSecret', n) },
})
export const secretLimited = (n: number, expiresAt: string): ApplicationEvent => ({
  type: 'application.secret_expiry_changed',
  data: { applicationId, secretId: id('clientSecret', n), expiresAt },
})
export const assigned = (groupId: string): ApplicationEvent => ({
  type: 'application.group_assigned',
  data: { applicationId, groupId },
})
export const unassigned = (groupId: string): ApplicationEvent => ({
  type: 'application.group_unassigned',
  data: { applicationId, groupId },
})
export const disabled: ApplicationEvent = { type: 'application.disabled', data: { applicationId } }
export const enabled: ApplicationEvent = { type: 'application.enabled', data: { applicationId } }
export const deleted: ApplicationEvent = { type: 'application.deleted', data: { applicationId } }

export const update = (settings: Readonly<Record<string, unknown>>): ApplicationCommand => ({
  type: 'update',
  applicationId,
  settings,
})
export const setGroups = (...groupIds: string[]): ApplicationCommand => ({
  type: 'set_groups',
  applicationId,
  groupIds,
})
export const assign: ApplicationCommand = { type: 'assign_group', applicationId, groupId: groups[0] }
export const unassign: ApplicationCommand = { type: 'unassign_group', applicationId, groupId: groups[0] }
export const createSecret: Of<'create_secret'> = {
  type: 'create_secret',
  applicationId,
  secret: secret(9),
  now: at(0),
}
export const rotate: Of<'rotate_secret'> = {
  type: 'rotate_secret',
  applicationId,
  secret: secret(9),
  now: at(0),
  oldExpiresAt: at(0),
}
export const revokeSecret: Of<'revoke_secret'> = {
  type: 'revoke_secret',
  applicationId,
  secretId: id('clientSecret', 1),
}
export const disable: ApplicationCommand = { type: 'disable', applicationId }
export const enable: ApplicationCommand = { type: 'enable', applicationId }
export const remove: ApplicationCommand = { type: 'delete', applicationId }

export const application = (...past: readonly ApplicationEvent[]) => given(applicationDecider, ...past)
