import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type {
  AuthenticatorOptions,
  MethodSetting,
  MethodSettings,
  MethodSettingsEvent,
  MethodType,
} from './events.ts'

/** A global administrator who may sign in, with what they could sign in with. */
export interface AdministratorWays {
  readonly email: string
  /** Types of their own methods; `identity_provider` when an account elsewhere is linked. */
  readonly methods: readonly MethodType[]
  readonly groupIds: readonly string[]
}

export interface MethodSettingsCommand {
  readonly type: 'update'
  readonly methodType: MethodType
  readonly fields: Partial<MethodSetting>
  readonly administrators: readonly AdministratorWays[]
  /** Whether administrators have to sign in with a passkey or security key. */
  readonly strongOnly: boolean
  /** Even though administrators are left without a way to sign in. */
  readonly force: boolean
}

/** In force until an administrator asks for more. */
export const noAttestation: AuthenticatorOptions = {
  attestation: 'none',
  attestationRoots: [],
  allowedAaguids: [],
  userVerification: 'required',
}

const authenticator = (): MethodSetting => ({
  enabled: true,
  allowedGroupIds: null,
  options: noAttestation,
})
const other: MethodSetting = { enabled: true, allowedGroupIds: null, options: null }

/** In force until an administrator changes them. */
export const defaultMethodSettings: MethodSettings = {
  passkey: authenticator(),
  security_key: authenticator(),
  authenticator_code: other,
  recovery_codes: other,
  magic_link: other,
  identity_provider: other,
}

export const methodTypes = Object.keys(defaultMethodSettings) as readonly MethodType[]

/** Recovery codes stand in for a method that is lost; nobody is left with those alone. */
const primary = methodTypes.filter((type) => type !== 'recovery_codes')

const isStrong = (type: MethodType): boolean => type === 'passkey' || type === 'security_key'

/** A setting after changes of it: what was changed to null is null. */
export const settingAfter = (
  setting: MethodSetting,
  changes: MethodSettingsEvent['data']['changes'],
): MethodSetting => {
  const after = applyChanges<Partial<MethodSetting>>(setting, changes)
  // A change to null has left the field out.
  return {
    enabled: after.enabled ?? false,
    allowedGroupIds: after.allowedGroupIds ?? null,
    // Options stored by earlier versions name no roots.
    options:
      after.options === undefined || after.options === null ? null : { ...noAttestation, ...after.options },
  }
}

/** Whether somebody in these groups may use a method. */
export const isAllowed = (
  { enabled, allowedGroupIds }: MethodSetting,
  groupIds: readonly string[],
): boolean => enabled && (allowedGroupIds === null || allowedGroupIds.some((id) => groupIds.includes(id)))

const hasWayIn = (
  { methods, groupIds }: AdministratorWays,
  settings: MethodSettings,
  strongOnly: boolean,
): boolean => methods.some((type) => (!strongOnly || isStrong(type)) && isAllowed(settings[type], groupIds))

const optionsProblem = (type: MethodType, { options }: MethodSetting): ReturnType<typeof refuse> | null => {
  if (options === null)
    return isStrong(type) ? refuse('ERR_INVALID', 'options: expected an object', '/options') : null
  if (!isStrong(type)) return refuse('ERR_INVALID', 'options: expected none for this method', '/options')
  if (options.userVerification === 'preferred' && type !== 'security_key')
    return refuse(
      'ERR_INVALID',
      'options.userVerification: expected "required"; "preferred" is for security keys',
      '/options/userVerification',
    )
  for (const field of ['allowedAaguids', 'attestationRoots'] as const)
    if (options[field].length > 0 && options.attestation === 'none')
      return refuse(
        'ERR_INVALID',
        `options.${field}: expected an empty list while attestation is "none"`,
        `/options/${field}`,
      )
  if (options.attestation === 'direct' && options.attestationRoots.length === 0)
    return refuse(
      'ERR_INVALID',
      'options.attestationRoots: expected at least one certificate while attestation is "direct": without a root, no authenticator can prove its make',
      '/options/attestationRoots',
    )
  return null
}

const evolve = (state: MethodSettings, { data }: MethodSettingsEvent): MethodSettings => ({
  ...state,
  [data.methodType]: settingAfter(state[data.methodType], data.changes),
})

const decide = (command: MethodSettingsCommand, state: MethodSettings): Decision<MethodSettingsEvent> => {
  const { methodType, fields, administrators, strongOnly, force } = command
  const changes = changesOf(state[methodType], fields)
  if (changes.length === 0) return accept()
  const setting = settingAfter(state[methodType], changes)
  const problem = optionsProblem(methodType, setting)
  if (problem !== null) return problem
  if (setting.allowedGroupIds?.length === 0)
    return refuse(
      'ERR_INVALID',
      'allowedGroupIds: expected at least one group, or null for everybody; switch the method off with enabled',
      '/allowedGroupIds',
    )
  const after = { ...state, [methodType]: setting }
  if (!primary.some((type) => after[type].enabled))
    return refuse('ERR_CONFLICT', 'At least one way to sign in besides recovery codes has to stay on.')
  const lockedOut = administrators.filter(
    (each) => hasWayIn(each, state, strongOnly) && !hasWayIn(each, after, strongOnly),
  )
  if (lockedOut.length > 0 && !force)
    return refuse(
      'ERR_CONFLICT',
      `Global administrators would have no way to sign in: ${lockedOut.map(({ email }) => email).join(', ')}. Send "force": true to do it nevertheless.`,
    )
  return accept({ type: 'method_settings.updated', data: { methodType, changes } })
}

export const methodSettingsDecider: Decider<MethodSettings, MethodSettingsCommand, MethodSettingsEvent> = {
  initial: defaultMethodSettings,
  evolve,
  decide,
}

/** The settings of all methods share one stream: that one of them stays on is one decision. */
export const methodSettingsStream = 'method_settings'
