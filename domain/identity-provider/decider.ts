import { applyChanges, changesOf, type Change } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type {
  AnyProviderFields,
  IdentityProviderEvent,
  IdentityProviderFields,
  IdentityProviderType,
  OauthConnection,
  SamlConnection,
} from './events.ts'
import { addressProblem, entityIdProblem, issuerProblem } from './issuer.ts'

export interface IdentityProviderState {
  readonly exists: 'not_yet' | 'yes' | 'deleted'
  readonly enabled: boolean
  readonly type: IdentityProviderType
  readonly issuer: string
  readonly fields: AnyProviderFields
  readonly hasSecret: boolean
}

/** Users for whom the provider is the only sign-in method; counted while nobody else can change it. */
interface Dependents {
  readonly onlyMethodOf: number
  /** Continue even though they can no longer sign in */
  readonly force: boolean
}

export type IdentityProviderCommand =
  | {
      type: 'create'
      identityProviderId: string
      providerType: IdentityProviderType
      issuer: string
      fields: IdentityProviderFields
      sealedSecret: string | null
      /** Number of existing providers */
      count: number
    }
  | {
      type: 'update'
      identityProviderId: string
      fields: AnyProviderFields
      /** Omitted: the current secret is kept */
      sealedSecret?: string
    }
  | { type: 'enable'; identityProviderId: string }
  | ({ type: 'disable' | 'delete'; identityProviderId: string } & Dependents)

/** Each has a button on the sign-in page. */
export const MAX_IDENTITY_PROVIDERS = 50

const initial: IdentityProviderState = {
  exists: 'not_yet',
  enabled: false,
  type: 'oidc',
  issuer: '',
  fields: {},
  hasSecret: false,
}

const evolve = (
  state: IdentityProviderState,
  { type, data }: IdentityProviderEvent,
): IdentityProviderState => {
  switch (type) {
    case 'identity_provider.created': {
      const { identityProviderId: _, providerType, issuer, sealedSecret, ...fields } = data
      const hasSecret = sealedSecret !== null
      return { exists: 'yes', enabled: true, type: providerType, issuer, fields, hasSecret }
    }
    case 'identity_provider.updated':
      return {
        ...state,
        fields: applyChanges(state.fields, data.changes),
        hasSecret: data.sealedSecret === undefined ? state.hasSecret : data.sealedSecret !== null,
      }
    case 'identity_provider.enabled':
      return { ...state, enabled: true }
    case 'identity_provider.disabled':
      return { ...state, enabled: false }
    case 'identity_provider.deleted':
      return { ...state, exists: 'deleted', enabled: false }
  }
}

/** Stands for a secret in the changes of a record. */
const SECRET = '•'

const needsSecret = (type: IdentityProviderType, { clientAuthentication }: AnyProviderFields): boolean =>
  type !== 'saml' && clientAuthentication !== 'private_key_jwt'

/** At a rollover there are two; some providers publish one per server. */
const MAX_CERTIFICATES = 10

const ofOauth: readonly (keyof OauthConnection)[] = ['clientId', 'clientAuthentication', 'scopes']
const ofSaml: readonly (keyof SamlConnection)[] = [
  'ssoUrl',
  'certificates',
  'nameIdFormat',
  'acceptUnsolicited',
]

type Problem = readonly [field: string, message: string]

/** Why fields do not fit the type of the provider; null if they do. */
const fieldProblem = (type: IdentityProviderType, fields: AnyProviderFields): Problem | null => {
  const foreign = (type === 'saml' ? ofOauth : ofSaml).find((field) => fields[field] !== undefined)
  if (foreign !== undefined) return [foreign, type === 'saml' ? 'not for type saml' : 'only for type saml']
  if (type === 'github' && fields.clientAuthentication === 'private_key_jwt')
    return ['clientAuthentication', 'expected client_secret_basic or client_secret_post for type github']
  const { ssoUrl, certificates } = fields
  const problem = ssoUrl === undefined ? null : addressProblem(ssoUrl)
  if (problem !== null) return ['ssoUrl', problem]
  if (certificates !== undefined && (certificates.length === 0 || certificates.length > MAX_CERTIFICATES))
    return ['certificates', `expected 1 to ${String(MAX_CERTIFICATES)} certificates`]
  return null
}

const refuseField = ([field, message]: Problem): ReturnType<typeof refuse> =>
  refuse('ERR_INVALID', `${field}: ${message}`, `/${field}`)

const create = (
  command: Extract<IdentityProviderCommand, { type: 'create' }>,
  { exists }: IdentityProviderState,
): Decision<IdentityProviderEvent> => {
  const { identityProviderId, providerType, issuer, fields, sealedSecret, count } = command
  if (exists !== 'not_yet') return refuse('ERR_CONFLICT')
  const isSaml = providerType === 'saml'
  const problem = isSaml ? entityIdProblem(issuer) : issuerProblem(issuer)
  if (problem !== null) return refuseField([isSaml ? 'entityId' : 'issuer', problem])
  const ofField = fieldProblem(providerType, fields)
  if (ofField !== null) return refuseField(ofField)
  if (needsSecret(providerType, fields) && sealedSecret === null)
    return refuse('ERR_INVALID', 'clientSecret: expected the secret of the client', '/clientSecret')
  if (count >= MAX_IDENTITY_PROVIDERS)
    return refuse(
      'ERR_CONFLICT',
      `There are already ${String(MAX_IDENTITY_PROVIDERS)} identity providers, which is the maximum.`,
    )
  return accept({
    type: 'identity_provider.created',
    data: {
      identityProviderId,
      providerType,
      issuer,
      ...fields,
      sealedSecret: needsSecret(providerType, fields) ? sealedSecret : null,
    },
  })
}

const update = (
  { identityProviderId, fields, sealedSecret }: Extract<IdentityProviderCommand, { type: 'update' }>,
  state: IdentityProviderState,
): Decision<IdentityProviderEvent> => {
  const problem = fieldProblem(state.type, fields)
  if (problem !== null) return refuseField(problem)
  const needs = needsSecret(state.type, { ...state.fields, ...fields })
  if (needs && sealedSecret === undefined && !state.hasSecret)
    return refuse('ERR_INVALID', 'clientSecret: expected the secret of the client', '/clientSecret')
  const forgets = !needs && state.hasSecret
  const replaces = needs && sealedSecret !== undefined
  const secret: readonly Change[] =
    forgets || replaces
      ? [{ field: 'clientSecret', from: state.hasSecret ? SECRET : null, to: replaces ? SECRET : null }]
      : []
  const changes = [...changesOf(state.fields, fields), ...secret]
  if (changes.length === 0) return accept()
  return accept({
    type: 'identity_provider.updated',
    data: {
      identityProviderId,
      changes,
      ...(replaces ? { sealedSecret } : {}),
      ...(forgets ? { sealedSecret: null } : {}),
    },
  })
}

/** Refuses to take away the only sign-in method of users. */
const dependents = ({ onlyMethodOf, force }: Dependents): ReturnType<typeof refuse> | null => {
  if (onlyMethodOf === 0 || force) return null
  const who = onlyMethodOf === 1 ? 'one user' : `${String(onlyMethodOf)} users`
  return refuse(
    'ERR_CONFLICT',
    `This identity provider is the only sign-in method of ${who}. Send \`force\` to continue.`,
    '/force',
  )
}

const decide = (
  command: IdentityProviderCommand,
  state: IdentityProviderState,
): Decision<IdentityProviderEvent> => {
  if (command.type === 'create') return create(command, state)
  if (state.exists !== 'yes') return refuse('ERR_NOT_FOUND')
  const { identityProviderId } = command
  switch (command.type) {
    case 'update':
      return update(command, state)
    case 'enable':
      return state.enabled
        ? accept()
        : accept({ type: 'identity_provider.enabled', data: { identityProviderId } })
    case 'disable':
      if (!state.enabled) return accept()
      return (
        dependents(command) ?? accept({ type: 'identity_provider.disabled', data: { identityProviderId } })
      )
    case 'delete':
      return (
        (state.enabled ? dependents(command) : null) ??
        accept({ type: 'identity_provider.deleted', data: { identityProviderId } })
      )
  }
}

/** An identity provider that users of this service sign in with. */
export const identityProviderDecider: Decider<
  IdentityProviderState,
  IdentityProviderCommand,
  IdentityProviderEvent
> = { initial, evolve, decide }

export const identityProviderStream = (identityProviderId: string): string =>
  `identity_provider-${identityProviderId}`
