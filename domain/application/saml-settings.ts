/** The settings of a SAML application. SAML 2.0 Core §8.3.6 (entity ids), Bindings §3.4.3 (RelayState). */
import type { AttributeNames, SamlSettings } from './events.ts'
import type { SettingsProblem } from './fields.ts'
import { redirectUriProblem } from './redirect-uri.ts'

/** Settings as sent: an omitted one gets its default, or does not change. */
export interface SamlInput extends Partial<
  Omit<SamlSettings, 'attributeNames' | 'acsIndexes' | 'defaultRelayState'>
> {
  readonly attributeNames?: Partial<AttributeNames>
  /** Null removes them, and so do new `acsUrls` without them. */
  readonly acsIndexes?: readonly number[] | null
  /** Null removes it. */
  readonly defaultRelayState?: string | null
}

export const MAX_ACS_URLS = 20
export const MAX_ACS_URL = 2048
export const MAX_ACS_INDEX = 65_535
export const MAX_ENTITY_ID = 1024
const MAX_ATTRIBUTE_NAME = 200
/** Maximum bytes. The standard requires 80; many applications use more. */
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

/** Merges the sent settings into the current ones, or into the defaults for a new application. */
export const samlSettings = (input: SamlInput, current: SamlSettings = samlDefaults): SamlSettings => {
  const { attributeNames, acsIndexes, defaultRelayState, ...rest } = input
  const { acsIndexes: indexesNow, defaultRelayState: relayStateNow, ...others } = current
  const relayState = defaultRelayState === undefined ? relayStateNow : defaultRelayState
  const indexes = acsIndexes === undefined && rest.acsUrls === undefined ? indexesNow : acsIndexes
  return {
    ...others,
    ...rest,
    attributeNames: { ...current.attributeNames, ...attributeNames },
    ...(indexes === undefined || indexes === null ? {} : { acsIndexes: indexes }),
    ...(relayState === undefined || relayState === null ? {} : { defaultRelayState: relayState }),
  }
}

const isPrintable = (text: string): boolean => text !== '' && !/\p{Cc}/u.test(text)

/** Length in UTF-8, without a platform API. */
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

const indexesProblem = ({ acsUrls, acsIndexes }: SamlSettings): SettingsProblem | null =>
  acsIndexes === undefined ||
  (acsIndexes.length === acsUrls.length && new Set(acsIndexes).size === acsUrls.length)
    ? null
    : problem('acsIndexes', 'one unique index for each of acsUrls')

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

/** What is wrong with the settings of a SAML application; null if they are valid. */
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
  return addressesProblem(acsUrls) ?? indexesProblem(settings) ?? namesProblem(attributeNames)
}
