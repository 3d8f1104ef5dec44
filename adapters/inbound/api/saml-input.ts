/** SAML settings as administrators send them: field by field, or as the metadata of a service provider. */
import { Type } from 'typebox'
import type { SamlSettings } from '../../../domain/application/events.ts'
import {
  MAX_ACS_INDEX,
  MAX_ACS_URLS,
  MAX_ENTITY_ID,
  MAX_RELAY_STATE,
  samlProblem,
  samlSettings,
  type SamlInput,
} from '../../../domain/application/saml-settings.ts'
import { DomainError } from '../../../domain/errors.ts'
import { WebAddress } from '../http/address-schemas.ts'
import { CONTROLS } from '../http/character-classes.ts'
import { fields, oneOf } from '../http/route.ts'
import { MetadataError } from '../saml/metadata-document.ts'
import { readSpMetadata } from '../saml/sp-metadata.ts'
import { clearable, line, nullable, printable, sent } from '../http/schemas.ts'

const attributeName = Type.Optional(line(200, 'mail'))

/** The settings that a service provider's metadata contains. */
const identity = {
  entityId: Type.String({
    minLength: 1,
    maxLength: MAX_ENTITY_ID,
    pattern: `^[^\\s${CONTROLS}]+$`,
    title: 'an entity id without spaces',
    description: 'send it or metadataXml',
    examples: ['https://wiki.example.com/saml'],
  }),
  acsUrls: Type.Array(WebAddress, {
    minItems: 1,
    maxItems: MAX_ACS_URLS,
    uniqueItems: true,
    description: 'Where responses are sent; the first is the default. Send them or metadataXml',
  }),
}

const settings = {
  acsIndexes: clearable(
    Type.Array(Type.Integer({ minimum: 0, maximum: MAX_ACS_INDEX }), {
      minItems: 1,
      maxItems: MAX_ACS_URLS,
      uniqueItems: true,
      description: 'AssertionConsumerServiceIndex of each of the acsUrls; default: their positions, from 0',
    }),
  ),
  nameIdFormat: Type.Optional(Type.Enum(['email', 'persistent', 'unspecified'])),
  attributeNames: Type.Optional(
    fields({
      email: attributeName,
      name: attributeName,
      given_name: attributeName,
      family_name: attributeName,
      groups: attributeName,
    }),
  ),
  signResponse: Type.Optional(
    Type.Boolean({ description: 'Whether to sign the whole response too; the assertion is always signed' }),
  ),
  defaultRelayState: clearable(
    printable(MAX_RELAY_STATE, `at most ${String(MAX_RELAY_STATE)} bytes in UTF-8`),
  ),
  sessionNotOnOrAfter: Type.Optional(Type.Boolean()),
}

export const CompleteSaml = fields({ ...identity, ...settings }, { title: 'SamlInput' })
export const SamlBesideMetadata = fields(settings)
export const SamlChanges = fields({
  entityId: Type.Optional(identity.entityId),
  acsUrls: Type.Optional(identity.acsUrls),
  ...settings,
})

export const MetadataXml = Type.String({
  minLength: 1,
  pattern: '^[^\\u0000]+$',
  title: 'an XML document',
  description:
    "The service provider's metadata, in place of entityId and acsUrls. Its signature is not verified.",
})

/** All settings of a SAML application: field by field, or with the metadata of its service provider. */
export const SamlReplacement = oneOf([
  CompleteSaml,
  fields({ ...settings, metadataXml: MetadataXml }, { title: 'SamlByMetadataInput' }),
])

export const SamlRecord = Type.Object(
  {
    entityId: Type.String(),
    acsUrls: Type.Array(Type.String()),
    acsIndexes: nullable(
      Type.Array(Type.Integer(), {
        description:
          "indexes of the acsUrls from the service provider's metadata; null: their positions, from 0",
      }),
    ),
    nameIdFormat: Type.Enum(['email', 'persistent', 'unspecified']),
    attributeNames: Type.Object({
      email: Type.String(),
      name: Type.String(),
      given_name: Type.String(),
      family_name: Type.String(),
      groups: Type.String(),
    }),
    signResponse: Type.Boolean(),
    defaultRelayState: nullable(Type.String()),
    sessionNotOnOrAfter: Type.Boolean(),
  },
  { title: 'SamlSettings' },
)

export const toSamlRecord = (saml: SamlSettings) => ({
  ...saml,
  acsIndexes: saml.acsIndexes ?? null,
  defaultRelayState: saml.defaultRelayState ?? null,
})

type Sent<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Settings as in a request body: omitted fields are undefined. */
export type SentSamlInput = Sent<Omit<SamlInput, 'attributeNames'>> & {
  readonly attributeNames?: Sent<NonNullable<SamlInput['attributeNames']>> | undefined
}

/** Keeps only the fields that were sent. */
export const samlInput = (saml: SentSamlInput): SamlInput => {
  const { attributeNames, ...rest } = sent(saml)
  return { ...rest, ...(attributeNames === undefined ? {} : { attributeNames: sent(attributeNames) }) }
}

const invalid = (field: string, message: string): DomainError =>
  new DomainError('ERR_INVALID', message, field)

/** Removes `/saml` from the pointers of errors, for a body that consists of the settings. */
export const atTop = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DomainError && error.field?.startsWith('/saml/') === true)
      throw new DomainError(
        error.code,
        error.message.replace(/^saml\./, ''),
        error.field.slice('/saml'.length),
      )
    throw error
  }
}

/**
 * Returns the complete settings: as sent, or with values from the metadata.
 * @throws DomainError ERR_INVALID if the metadata cannot be used
 */
export const completeSamlInput = (saml: SamlInput, xml: string | undefined, now: Date): SamlInput => {
  if (xml === undefined) return saml
  try {
    const input = { ...readSpMetadata(xml, now), ...saml }
    const { entityId: id, acsUrls: urls } = input
    const problem = samlProblem(samlSettings({ entityId: id, acsUrls: urls }))
    if (problem !== null) throw invalid('/metadataXml', `metadataXml: cannot be used: ${problem.message}`)
    return input
  } catch (error) {
    throw error instanceof MetadataError ? invalid('/metadataXml', error.message) : error
  }
}
