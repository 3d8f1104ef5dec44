import type { MethodSettings, MethodType } from '../../../../domain/method-settings/events.ts'

/** The kinds of code that the field accepts. */
export type CodeWay = 'authenticator' | 'recovery' | 'either'

/** The sign-in methods that the sign-in page offers. */
export interface Ways {
  /** The name for the credential; null if neither is offered */
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
 * Returns the methods that are enabled for at least some users. Whether the user may use one is checked at sign-in.
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
