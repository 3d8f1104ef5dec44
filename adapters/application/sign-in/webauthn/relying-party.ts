import type { AuthenticatorOptions, MethodSetting } from '../../../../domain/method-settings/events.ts'

/** The WebAuthn relying party: the host and origin of the public address (Level 3 §5.4.2, §5.8.1). */
export const relyingParty = (publicUrl: string): { readonly rpID: string; readonly origin: string } => {
  const { hostname, origin } = new URL(publicUrl)
  return { rpID: hostname, origin }
}

/** The requirements of a setting for authenticators. */
export const optionsOf = ({ options }: MethodSetting): AuthenticatorOptions => {
  if (options === null) throw new Error('this method has no authenticator')
  return options
}
