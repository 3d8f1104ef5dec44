import type { MethodSettings, MethodType } from '../../../../domain/method-settings/events.ts'

/** Kinds of code that one field takes. */
export type CodeWay = 'authenticator' | 'recovery' | 'either'

/** What the sign-in page offers. */
export interface Ways {
  /** The words for what a device or key holds; null when neither is offered. */
  readonly passkey: 'passkey' | 'security key' | null
  readonly code: CodeWay | null
  readonly link: boolean
}

const codeWay = (authenticator: boolean, recovery: boolean): CodeWay | null => {
  if (authenticator && recovery) return 'either'
  if (authenticator) return 'authenticator'
  return recovery ? 'recovery' : null
}

/**
 * The methods that are enabled for any user; whether the user may use one is checked at sign-in.
 * @param links whether links can be sent
 * @param strongOnly the application accepts only a passkey or security key
 */
export const waysOf = (
  settings: Readonly<Record<MethodType, Pick<MethodSettings[MethodType], 'enabled'>>>,
  links: boolean,
  strongOnly: boolean,
): Ways => {
  const on = (type: MethodType): boolean => settings[type].enabled
  const securityKey = on('security_key') ? 'security key' : null
  return {
    passkey: on('passkey') ? 'passkey' : securityKey,
    code: strongOnly ? null : codeWay(on('authenticator_code'), on('recovery_codes')),
    link: !strongOnly && links && on('magic_link'),
  }
}
