/**
 * SAML 2.0 Metadata §2.3, §2.4.4: the metadata of a service provider. Signatures are not verified: the administrator
 * who registers the application vouches for the document. Nothing is fetched.
 */
import { MAX_ACS_URLS, type SamlInput } from '../../../domain/application/saml-settings.ts'
import type { NameIdFormat } from '../../../domain/application/events.ts'
import { bindings, nameIdFormats } from '../../../domain/saml/names.ts'
import { attributeOf, textOf } from '../../kernel/xml.ts'
import { descriptorIn, expectedOf, inMetadata, refuseMetadata } from './metadata-document.ts'

export type SpMetadata = Required<Pick<SamlInput, 'entityId' | 'acsUrls'>> &
  Pick<SamlInput, 'acsIndexes' | 'nameIdFormat'>

interface Consumer {
  readonly location: string
  readonly index: number
  readonly isDefault: boolean | null
}

const consumerOf = (element: Element, position: number): Consumer => {
  const location = attributeOf(element, 'Location')
  const index = attributeOf(element, 'index')
  const isDefault = attributeOf(element, 'isDefault')
  if (location === null) return refuseMetadata('a Location on each AssertionConsumerService')
  if (index !== null && !/^\d{1,5}$/.test(index))
    return refuseMetadata('the index of an AssertionConsumerService to be a number')
  if (isDefault !== null && !/^(?:true|false|1|0)$/.test(isDefault))
    return refuseMetadata('isDefault of an AssertionConsumerService to be true or false')
  return {
    location,
    index: index === null ? position : Number(index),
    isDefault: isDefault === null ? null : isDefault === 'true' || isDefault === '1',
  }
}

/** Metadata §2.2.3: the default first, then the others ordered by index; without duplicate addresses. */
const inOrder = (consumers: readonly Consumer[]): readonly Consumer[] => {
  const first =
    consumers.find(({ isDefault }) => isDefault === true) ??
    consumers.find(({ isDefault }) => isDefault === null) ??
    consumers[0]
  const others = consumers.filter((each) => each !== first).sort((a, b) => a.index - b.index)
  const ordered = [...(first === undefined ? [] : [first]), ...others]
  return ordered.filter(({ location }, at) => ordered.findIndex((one) => one.location === location) === at)
}

const formats = new Map(Object.entries(nameIdFormats).map(([name, uri]) => [uri, name as NameIdFormat]))

const read = (text: string, now: Date): SpMetadata => {
  const { entityId, descriptor } = descriptorIn(text, 'SPSSODescriptor', now)
  const consumers = inOrder(
    inMetadata(descriptor, 'AssertionConsumerService')
      .filter((element) => attributeOf(element, 'Binding') === bindings.post)
      .map(consumerOf),
  )
  if (consumers.length === 0) return refuseMetadata('an AssertionConsumerService with the binding HTTP-POST')
  if (consumers.length > MAX_ACS_URLS)
    return refuseMetadata(`at most ${String(MAX_ACS_URLS)} addresses with the binding HTTP-POST`)
  const nameIdFormat = inMetadata(descriptor, 'NameIDFormat')
    .map((element) => formats.get(textOf(element)))
    .find((format) => format !== undefined)
  const acsUrls = consumers.map(({ location }) => location)
  const acsIndexes = consumers.map(({ index }) => index)
  // Two addresses with the same index are ambiguous.
  const sayNothing =
    acsIndexes.every((index, place) => index === place) || new Set(acsIndexes).size < acsIndexes.length
  return {
    entityId,
    acsUrls,
    ...(sayNothing ? {} : { acsIndexes }),
    ...(nameIdFormat === undefined ? {} : { nameIdFormat }),
  }
}

/**
 * Reads the metadata of one service provider.
 * @throws MetadataError for any other document
 */
export const readSpMetadata = (text: string, now: Date): SpMetadata => expectedOf(() => read(text, now))
