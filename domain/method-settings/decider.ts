import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type {
  AuthenticatorOptions,
  MethodSetting,
  MethodSettings,
  MethodSettingsEvent,
  MethodType,
} from './events.ts'

/** A global administrator who can sign in, with their methods. */
export interface AdministratorWays {
  readonly email: string
  /** Types of their own methods; `identity_provider` if they have a linked account. */
  readonly methods: readonly MethodType[]
  readonly groupIds: readonly string[]
}

export interface MethodSettingsCommand {
  readonly type: 'update'
  readonly methodType: MethodType
  readonly fields: Partial<MethodSetting>
  readonly administrators: readonly AdministratorWays[]
  /** Whether administrators must sign in with a passkey or security key. */
  readonly strongOnly: boolean
  /** Save even if administrators are left without a sign-in method. */
  readonly force: boolean
}

/** The default until an administrator changes it. */
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

/** The default until an administrator changes it. */
export const defaultMethodSettings: MethodSettings = {
  passkey: authenticator(),
  security_key: authenticator(),
  authenticator_code: other,
  recovery_codes: other,
  magic_link: other,
  identity_provider: other,
}

export const methodTypes = Object.keys(defaultMethodSettings) as readonly MethodType[]

/** Recovery codes replace a lost method; they cannot be the only method. */
const primary = methodTypes.filter((type) => type !== 'recovery_codes')

const isStrong = (type: MethodType): boolean => type === 'passkey' || type === 'security_key'

/** The value of a setting after changes; null if it was changed to null. */
export const settingAfter = (
  setting: MethodSetting,
  changes: MethodSettingsEvent['data']['changes'],
): MethodSetting => {
  const after = applyChanges<Partial<MethodSetting>>(setting, changes)
  // A change to null has removed the field.
  return {
    enabled: after.enabled ?? false,
    allowedGroupIds: after.allowedGroupIds ?? null,
    // Options stored by earlier versions have no roots.
    options:
      after.options === undefined || after.options === null ? null : { ...noAttestation, ...after.options },
  }
}

/** Whether members of these groups can use a method. */
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
  if (!isStrong(type)) return refuse('ERR_INVALID', 'options: not allowed for this method', '/options')
  if (options.userVerification === 'preferred' && type !== 'security_key')
    return refuse(
      'ERR_INVALID',
      'options.userVerification: expected "required"; "preferred" is for security keys only',
      '/options/userVerification',
    )
  for (const field of ['allowedAaguids', 'attestationRoots'] as const)
    if (options[field].length > 0 && options.attestation === 'none')
      return refuse(
        'ERR_INVALID',
        `options.${field}: expected an empty list because attestation is "none"`,
        `/options/${field}`,
      )
  if (options.attestation === 'direct' && options.attestationRoots.length === 0)
    return refuse(
      'ERR_INVALID',
      'options.attestationRoots: expected at least one certificate because attestation is "direct"; without a root certificate no authenticator can be verified',
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
      'allowedGroupIds: expected at least one group, or null for all users; to disable the method, use enabled',
      '/allowedGroupIds',
    )
  const after = { ...state, [methodType]: setting }
  if (!primary.some((type) => after[type].enabled))
    return refuse('ERR_CONFLICT', 'At least one sign-in method besides recovery codes must stay enabled.')
  const lockedOut = administrators.filter(
    (each) => hasWayIn(each, state, strongOnly) && !hasWayIn(each, after, strongOnly),
  )
  if (lockedOut.length > 0 && !force)
    return refuse(
      'ERR_CONFLICT',
      `Global administrators would have no sign-in method: ${lockedOut.map(({ email }) => email).join(', ')}. Send "force": true to save anyway.`,
    )
  return accept({ type: 'method_settings.updated', data: { methodType, changes } })
}

export const methodSettingsDecider: Decider<MethodSettings, MethodSettingsCommand, MethodSettingsEvent> = {
  initial: defaultMethodSettings,
  evolve,
  decide,
}

/** The settings of all methods share one stream, because keeping one method enabled is one decision. */
export const methodSettingsStream = 'method_settings'
