/** What the organization lets people sign in with, as `GET /auth/methods` answers it. */
export interface OfferedMethods {
  readonly methods: readonly string[]
  readonly magicLinkAvailable: boolean
}

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

/** @param strongOnly the application takes nothing but a passkey or security key */
export const waysOf = ({ methods, magicLinkAvailable }: OfferedMethods, strongOnly: boolean): Ways => {
  const has = (method: string): boolean => methods.includes(method)
  const securityKey = has('security_key') ? 'security key' : null
  return {
    passkey: has('passkey') ? 'passkey' : securityKey,
    code: strongOnly ? null : codeWay(has('authenticator_code'), has('recovery_codes')),
    link: !strongOnly && magicLinkAvailable && has('magic_link'),
  }
}
