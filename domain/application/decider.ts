import { changesOf, applyChanges } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import {
  apiGrantEvents,
  apiGrantProblem,
  apiGrantsProblem,
  withdrawnEvents,
  type ApiGrant,
} from './api-grants.ts'
import {
  liveSecrets,
  NO_SECRET,
  rotation,
  secretCreated,
  secretProblem,
  type NewSecret,
} from './client-secrets.ts'
import type { ApplicationEvent, ApplicationFields, OidcApplicationType, OidcSettings } from './events.ts'
import { fieldDefaults, fieldsProblem, isCommonField, splitFields } from './fields.ts'
import { isConfidential } from './grant-types.ts'
import { oidcDefaults, oidcProblem } from './oidc-settings.ts'
import { samlProblem, samlSettings, type SamlInput } from './saml-settings.ts'
import {
  evolve,
  initial,
  type ApplicationState,
  type OidcApplicationState,
  type SamlApplicationState,
} from './state.ts'

export type ApplicationCommand =
  | {
      type: 'create'
      applicationId: string
      applicationType: OidcApplicationType
      clientId: string
      builtIn: boolean
      settings: Partial<OidcSettings> & Partial<ApplicationFields> & { readonly name: string }
      groupIds: readonly string[]
      secret?: NewSecret
    }
  | {
      type: 'create_saml'
      applicationId: string
      fields: Partial<ApplicationFields> & { readonly name: string }
      saml: SamlInput
      groupIds: readonly string[]
    }
  | {
      type: 'update'
      applicationId: string
      settings: Readonly<Record<string, unknown>>
      /** For a SAML application; omitted fields do not change. */
      saml?: SamlInput
      /** Omitted: the groups do not change. */
      groupIds?: readonly string[]
    }
  /** All SAML settings; omitted ones get their default. */
  | { type: 'replace_saml'; applicationId: string; saml: SamlInput }
  | { type: 'set_groups'; applicationId: string; groupIds: readonly string[] }
  | { type: 'assign_group'; applicationId: string; groupId: string }
  | { type: 'unassign_group'; applicationId: string; groupId: string }
  /** `grant.grantId` is used for new grants. */
  | { type: 'set_api_grant'; applicationId: string; apiGrant: ApiGrant }
  | { type: 'remove_api_grant'; applicationId: string; apiResourceId: string }
  | { type: 'set_api_grants'; applicationId: string; apiGrants: readonly ApiGrant[] }
  | { type: 'create_secret'; applicationId: string; secret: NewSecret; now: Instant }
  /** The new secret works immediately, the others until `oldExpiresAt`. */
  | { type: 'rotate_secret'; applicationId: string; secret: NewSecret; now: Instant; oldExpiresAt: Instant }
  | { type: 'revoke_secret'; applicationId: string; secretId: string }
  | { type: 'disable'; applicationId: string }
  | { type: 'enable'; applicationId: string }
  | { type: 'delete'; applicationId: string }

export const MAX_ACTIVE_SECRETS = 2

const assigned = (applicationId: string, groupIds: readonly string[]): readonly ApplicationEvent[] =>
  [...new Set(groupIds)].map((groupId) => ({
    type: 'application.group_assigned',
    data: { applicationId, groupId },
  }))

const groupChanges = (
  applicationId: string,
  wanted: readonly string[],
  state: ApplicationState,
): readonly ApplicationEvent[] => [
  ...assigned(
    applicationId,
    wanted.filter((groupId) => !state.groupIds.includes(groupId)),
  ),
  ...state.groupIds
    .filter((groupId) => !wanted.includes(groupId))
    .map((groupId): ApplicationEvent => ({
      type: 'application.group_unassigned',
      data: { applicationId, groupId },
    })),
]

const create = (command: Extract<ApplicationCommand, { type: 'create' }>): Decision<ApplicationEvent> => {
  const { applicationId, applicationType, clientId, builtIn, groupIds, secret } = command
  const all: OidcSettings & ApplicationFields = { ...oidcDefaults, ...command.settings }
  const problem = oidcProblem(applicationType, all)
  if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
  if (secret !== undefined && !isConfidential(applicationType)) return refuse('ERR_CONFLICT', NO_SECRET)
  const { fields, rest: oidc } = splitFields(all)
  return accept<ApplicationEvent>(
    {
      type: 'application.created',
      data: { applicationId, protocol: 'oidc', applicationType, clientId, builtIn, fields, oidc },
    },
    ...(secret === undefined ? [] : [secretCreated(applicationId, secret, false)]),
    ...assigned(applicationId, groupIds),
  )
}

const createSaml = (
  command: Extract<ApplicationCommand, { type: 'create_saml' }>,
): Decision<ApplicationEvent> => {
  const { applicationId, groupIds } = command
  const { fields } = splitFields({ ...fieldDefaults, ...command.fields })
  const saml = samlSettings(command.saml)
  const problem = fieldsProblem(fields) ?? samlProblem(saml)
  if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
  return accept<ApplicationEvent>(
    { type: 'application.created', data: { applicationId, protocol: 'saml', builtIn: false, fields, saml } },
    ...assigned(applicationId, groupIds),
  )
}

type Update = Extract<ApplicationCommand, { type: 'update' }>

const updateOidc = ({ applicationId, settings, saml }: Update, state: OidcApplicationState) => {
  if (saml !== undefined) return refuse('ERR_INVALID', 'saml: not allowed for the protocol oidc', '/saml')
  const changes = changesOf(state.settings, settings)
  const problem = oidcProblem(state.applicationType, {
    ...oidcDefaults,
    ...applyChanges(state.settings, changes),
  })
  if (changes.length > 0 && problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
  return accept<ApplicationEvent>(
    ...(changes.length === 0
      ? []
      : [{ type: 'application.updated' as const, data: { applicationId, changes } }]),
  )
}

const updateSaml = ({ applicationId, settings, saml }: Update, state: SamlApplicationState) => {
  const foreign = Object.keys(settings).find((name) => !isCommonField(name))
  if (foreign !== undefined)
    return refuse('ERR_INVALID', `${foreign}: not allowed for the protocol saml`, `/${foreign}`)
  const changes = changesOf(state.settings, settings)
  const wanted = saml === undefined ? state.saml : samlSettings(saml, state.saml)
  const samlChanges = changesOf(state.saml, {
    ...wanted,
    acsIndexes: wanted.acsIndexes ?? null,
    defaultRelayState: wanted.defaultRelayState ?? null,
  })
  const problem =
    fieldsProblem({ ...fieldDefaults, ...applyChanges(state.settings, changes) }) ?? samlProblem(wanted)
  if (changes.length + samlChanges.length > 0 && problem !== null)
    return refuse('ERR_INVALID', problem.message, problem.field)
  return accept<ApplicationEvent>(
    ...(changes.length === 0
      ? []
      : [{ type: 'application.updated' as const, data: { applicationId, changes } }]),
    ...(samlChanges.length === 0
      ? []
      : [{ type: 'application.saml_updated' as const, data: { applicationId, changes: samlChanges } }]),
  )
}

const withoutTokens = ({ protocol }: ApplicationState) =>
  protocol === 'saml'
    ? refuse('ERR_CONFLICT', 'SAML applications have no access tokens, so no scopes can be granted to them.')
    : null

const decide = (command: ApplicationCommand, state: ApplicationState): Decision<ApplicationEvent> => {
  const { applicationId } = command
  if (command.type === 'create') return state.status === 'none' ? create(command) : refuse('ERR_CONFLICT')
  if (command.type === 'create_saml')
    return state.status === 'none' ? createSaml(command) : refuse('ERR_CONFLICT')
  if (state.status === 'none' || state.status === 'deleted') return refuse('ERR_NOT_FOUND')
  switch (command.type) {
    case 'update': {
      const updated = state.protocol === 'oidc' ? updateOidc(command, state) : updateSaml(command, state)
      return 'refusal' in updated
        ? updated
        : accept(...updated.events, ...groupChanges(applicationId, command.groupIds ?? state.groupIds, state))
    }
    case 'replace_saml': {
      if (state.protocol !== 'saml') return refuse('ERR_CONFLICT', 'This is not a SAML application.')
      const saml = { defaultRelayState: null, ...samlSettings(command.saml) }
      return updateSaml({ type: 'update', applicationId, settings: {}, saml }, state)
    }
    case 'set_groups':
      return accept(...groupChanges(applicationId, command.groupIds, state))
    case 'assign_group':
      return state.groupIds.includes(command.groupId)
        ? accept()
        : accept({ type: 'application.group_assigned', data: { applicationId, groupId: command.groupId } })
    case 'unassign_group':
      return state.groupIds.includes(command.groupId)
        ? accept({ type: 'application.group_unassigned', data: { applicationId, groupId: command.groupId } })
        : refuse('ERR_NOT_FOUND')
    case 'set_api_grant':
      return (
        withoutTokens(state) ??
        apiGrantProblem(command.apiGrant) ??
        accept(...apiGrantEvents(applicationId, [command.apiGrant], state.apiGrants))
      )
    case 'remove_api_grant': {
      const gone = state.apiGrants.filter(({ apiResourceId }) => apiResourceId === command.apiResourceId)
      return gone.length === 0 ? refuse('ERR_NOT_FOUND') : accept(...withdrawnEvents(applicationId, gone))
    }
    case 'set_api_grants': {
      const wanted = new Set(command.apiGrants.map(({ apiResourceId }) => apiResourceId))
      const gone = state.apiGrants.filter(({ apiResourceId }) => !wanted.has(apiResourceId))
      return (
        (command.apiGrants.length > 0 ? withoutTokens(state) : null) ??
        apiGrantsProblem(command.apiGrants) ??
        accept(
          ...apiGrantEvents(applicationId, command.apiGrants, state.apiGrants),
          ...withdrawnEvents(applicationId, gone),
        )
      )
    }
    case 'create_secret': {
      const problem = secretProblem(state, command.secret, command.now)
      if (problem !== null) return problem
      return liveSecrets(state, command.now).length >= MAX_ACTIVE_SECRETS
        ? refuse('ERR_CONFLICT', `An application has at most ${String(MAX_ACTIVE_SECRETS)} active secrets.`)
        : accept(secretCreated(applicationId, command.secret, false))
    }
    case 'rotate_secret':
      return (
        secretProblem(state, command.secret, command.now) ??
        accept(...rotation(applicationId, command.secret, liveSecrets(state, command.now), command))
      )
    case 'revoke_secret':
      return state.secrets.some((s) => s.secretId === command.secretId)
        ? accept({ type: 'application.secret_revoked', data: { applicationId, secretId: command.secretId } })
        : refuse('ERR_NOT_FOUND')
    case 'disable':
      if (state.builtIn) return refuse('ERR_BUILT_IN', 'The built-in CLI application cannot be disabled.')
      return state.status === 'disabled'
        ? refuse('ERR_CONFLICT', 'This application is already disabled.')
        : accept({ type: 'application.disabled', data: { applicationId } })
    case 'enable':
      return state.status === 'active'
        ? refuse('ERR_CONFLICT', 'This application is already enabled.')
        : accept({ type: 'application.enabled', data: { applicationId } })
    case 'delete':
      return state.builtIn
        ? refuse('ERR_BUILT_IN')
        : accept({ type: 'application.deleted', data: { applicationId } })
  }
}

export const applicationDecider: Decider<ApplicationState, ApplicationCommand, ApplicationEvent> = {
  initial,
  evolve,
  decide,
}

export const applicationStream = (applicationId: string): string => `application-${applicationId}`
