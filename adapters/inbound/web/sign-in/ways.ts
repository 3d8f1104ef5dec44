import type { IdentityProviderFields } from '../../../../domain/identity-provider/events.ts'
import type { MethodSettings, MethodType } from '../../../../domain/method-settings/events.ts'

/** The kinds of code that the field accepts. */
export type CodeWay = 'authenticator' | 'recovery' | 'either'

/** The sign-in methods that the sign-in page offers. */
export interface Ways {
  /** The name for the credential; null if neither is offered */
  readonly passkey: 'passkey' | 'security key' | null
  readonly code: CodeWay | null
  readonly link: boolean
  readonly providers: readonly OfferedProvider[]
  /** Whether some domain leads to a provider, so that an address must be looked up */
  readonly homeRealms: boolean
}

/** An identity provider with its button. */
export interface OfferedProvider {
  readonly id: string
  readonly name: string
}

type ProviderSettings = OfferedProvider & Pick<IdentityProviderFields, 'phishingResistantValues' | 'domains'>

const codeWay = (authenticator: boolean, recovery: boolean): CodeWay | null => {
  if (authenticator && recovery) return 'either'
  if (authenticator) return 'authenticator'
  return recovery ? 'recovery' : null
}

/**
 * Returns the methods that are enabled for at least some users. Whether the user may use one is checked at sign-in.
 * @param links whether links can be sent
 * @param strongOnly the application accepts only a passkey or security key
 * @param providers enabled identity providers
 */
export const waysOf = (
  settings: Readonly<Record<MethodType, Pick<MethodSettings[MethodType], 'enabled'>>>,
  links: boolean,
  strongOnly: boolean,
  providers: readonly ProviderSettings[] = [],
): Ways => {
  const on = (type: MethodType): boolean => settings[type].enabled
  const securityKey = on('security_key') ? 'security key' : null
  return {
    passkey: on('passkey') ? 'passkey' : securityKey,
    code: strongOnly ? null : codeWay(on('authenticator_code'), on('recovery_codes')),
    link: !strongOnly && links && on('magic_link'),
    providers: on('identity_provider')
      ? providers
          .filter(({ phishingResistantValues }) => !strongOnly || phishingResistantValues.length > 0)
          .map(({ id, name }) => ({ id, name }))
      : [],
    homeRealms: on('identity_provider') && providers.some(({ domains }) => domains.length > 0),
  }
}
