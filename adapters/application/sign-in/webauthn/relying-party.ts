import type { AuthenticatorOptions, MethodSetting } from '../../../../domain/method-settings/events.ts'

/** Who asks browsers for passkeys: the host and origin of the public address (Level 3 §5.4.2, §5.8.1). */
export const relyingParty = (publicUrl: string): { readonly rpID: string; readonly origin: string } => {
  const { hostname, origin } = new URL(publicUrl)
  return { rpID: hostname, origin }
}

/** What is asked of authenticators that come under a setting. */
export const optionsOf = ({ options }: MethodSetting): AuthenticatorOptions => {
  if (options === null) throw new Error('this method has no authenticator')
  return options
}
