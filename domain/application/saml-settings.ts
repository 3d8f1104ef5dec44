/** What a SAML application may be told to do. SAML 2.0 Core §8.3.6 (entity ids), Bindings §3.4.3 (RelayState). */
import type { AttributeNames, SamlSettings } from './events.ts'
import type { SettingsProblem } from './fields.ts'
import { redirectUriProblem } from './redirect-uri.ts'

/** Settings as they are sent: what is left out has a default, or stays as it was. */
export interface SamlInput extends Partial<Omit<SamlSettings, 'attributeNames' | 'defaultRelayState'>> {
  readonly attributeNames?: Partial<AttributeNames>
  /** Null takes it away. */
  readonly defaultRelayState?: string | null
}

export const MAX_ACS_URLS = 20
export const MAX_ACS_URL = 2048
export const MAX_ENTITY_ID = 1024
const MAX_ATTRIBUTE_NAME = 200
/** Bytes. The standard says 80; many applications send and take more. */
export const MAX_RELAY_STATE = 2048

const defaultNames: AttributeNames = {
  email: 'email',
  name: 'name',
  given_name: 'given_name',
  family_name: 'family_name',
  groups: 'groups',
}

const samlDefaults: SamlSettings = {
  entityId: '',
  acsUrls: [],
  nameIdFormat: 'email',
  attributeNames: defaultNames,
  signResponse: false,
  sessionNotOnOrAfter: true,
}

/** The settings after what was sent, on top of those there are; of the defaults for a new application. */
export const samlSettings = (input: SamlInput, current: SamlSettings = samlDefaults): SamlSettings => {
  const { attributeNames, defaultRelayState, ...rest } = input
  const { defaultRelayState: relayStateNow, ...others } = current
  const relayState = defaultRelayState === undefined ? relayStateNow : defaultRelayState
  return {
    ...others,
    ...rest,
    attributeNames: { ...current.attributeNames, ...attributeNames },
    ...(relayState === undefined || relayState === null ? {} : { defaultRelayState: relayState }),
  }
}

const isPrintable = (text: string): boolean => text !== '' && !/\p{Cc}/u.test(text)

/** Length in UTF-8, without help from outside. */
const bytesOf = (text: string): number => {
  let bytes = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

const problem = (path: string, expected: string): SettingsProblem => ({
  message: `saml.${path.replaceAll('/', '.')}: expected ${expected}`,
  field: `/saml/${path}`,
})

const addressesProblem = (acsUrls: readonly string[]): SettingsProblem | null => {
  if (acsUrls.length === 0 || acsUrls.length > MAX_ACS_URLS)
    return problem('acsUrls', `1 to ${String(MAX_ACS_URLS)} addresses`)
  for (const [index, url] of acsUrls.entries()) {
    const at = `acsUrls/${String(index)}`
    if (acsUrls.indexOf(url) !== index) return problem(at, 'each address once')
    if (url.length > MAX_ACS_URL) return problem(at, `at most ${String(MAX_ACS_URL)} characters`)
    const wrong = redirectUriProblem(url, 'web')
    if (wrong !== null)
      return {
        message: `saml.acsUrls: ${wrong}, got ${url.slice(0, 200)}`,
        field: `/saml/${at}`,
      }
  }
  return null
}

const namesProblem = (attributeNames: AttributeNames): SettingsProblem | null => {
  const entries = Object.entries(attributeNames) as [keyof AttributeNames, string][]
  for (const [key, name] of entries) {
    if (!isPrintable(name) || name.trim() !== name || name.length > MAX_ATTRIBUTE_NAME)
      return problem(
        `attributeNames/${key}`,
        `1 to ${String(MAX_ATTRIBUTE_NAME)} characters without control characters or spaces around them`,
      )
    if (entries.some(([other, same]) => other !== key && same === name))
      return problem(`attributeNames/${key}`, 'a name that no other attribute has')
  }
  return null
}

/** What is wrong with the settings of a SAML application; null when nothing is. */
export const samlProblem = (settings: SamlSettings): SettingsProblem | null => {
  const { entityId, acsUrls, attributeNames, defaultRelayState } = settings
  if (!isPrintable(entityId) || /\s/u.test(entityId) || entityId.length > MAX_ENTITY_ID)
    return problem(
      'entityId',
      `1 to ${String(MAX_ENTITY_ID)} characters without spaces or control characters`,
    )
  if (
    defaultRelayState !== undefined &&
    (!isPrintable(defaultRelayState) || bytesOf(defaultRelayState) > MAX_RELAY_STATE)
  )
    return problem(
      'defaultRelayState',
      `1 to ${String(MAX_RELAY_STATE)} bytes of text without control characters`,
    )
  return addressesProblem(acsUrls) ?? namesProblem(attributeNames)
}
