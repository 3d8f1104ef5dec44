/**
 * SAML 2.0 Metadata §2.3, §2.4.4: the metadata of a service provider. Signatures are not verified: the administrator
 * who registers the application vouches for the document. Nothing is fetched.
 */
import { MAX_ACS_URLS, type SamlInput } from '../../../domain/application/saml-settings.ts'
import type { NameIdFormat } from '../../../domain/application/events.ts'
import { bindings, nameIdFormats, namespaces } from '../../../domain/saml/names.ts'
import { attributeOf, childrenNamed, parseXml, SamlXmlError, textOf, xmlLimits } from './xml.ts'

/** Metadata that cannot be used; the message says what was expected. */
export class SpMetadataError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SpMetadataError'
  }
}

export type SpMetadata = Required<Pick<SamlInput, 'entityId' | 'acsUrls'>> &
  Pick<SamlInput, 'acsIndexes' | 'nameIdFormat'>

const refuse = (expected: string): never => {
  throw new SpMetadataError(`metadataXml: expected ${expected}`)
}

const inMetadata = (parent: Node, name: string): readonly Element[] =>
  childrenNamed(parent, namespaces.metadata, name)

const isNamed = (element: Element, name: string): boolean =>
  element.namespaceURI === namespaces.metadata && element.localName === name

/** Returns the descriptors of service providers that support SAML 2.0. */
const spDescriptors = (entity: Element): readonly Element[] =>
  inMetadata(entity, 'SPSSODescriptor').filter((descriptor) =>
    (attributeOf(descriptor, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(namespaces.protocol),
  )

/** Returns the entities of a document, including those in nested groups. */
const entitiesIn = (element: Element): readonly Element[] =>
  isNamed(element, 'EntityDescriptor')
    ? [element]
    : [
        ...inMetadata(element, 'EntityDescriptor'),
        ...inMetadata(element, 'EntitiesDescriptor').flatMap(entitiesIn),
      ]

const XS_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/

/** Throws if validUntil of the element or of an enclosing one has passed. */
const checkValidity = (element: Element, now: Date): void => {
  for (let node: Node | null = element; node?.nodeType === 1; node = node.parentNode) {
    const until = attributeOf(node as Element, 'validUntil')
    if (until === null) continue
    // SAML times are in UTC (Core §1.3.3), even without a time zone.
    const time = XS_DATE_TIME.test(until)
      ? Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(until) ? until : `${until}Z`)
      : NaN
    if (Number.isNaN(time)) refuse('validUntil to be a date and time')
    if (time <= now.getTime()) refuse(`metadata that is still valid; it expired at ${until}`)
  }
}

interface Consumer {
  readonly location: string
  readonly index: number
  readonly isDefault: boolean | null
}

const consumerOf = (element: Element, position: number): Consumer => {
  const location = attributeOf(element, 'Location')
  const index = attributeOf(element, 'index')
  const isDefault = attributeOf(element, 'isDefault')
  if (location === null) return refuse('a Location on each AssertionConsumerService')
  if (index !== null && !/^\d{1,5}$/.test(index))
    return refuse('the index of an AssertionConsumerService to be a number')
  if (isDefault !== null && !/^(?:true|false|1|0)$/.test(isDefault))
    return refuse('isDefault of an AssertionConsumerService to be true or false')
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
  const root = parseXml(text, xmlLimits).documentElement
  if (!isNamed(root, 'EntityDescriptor') && !isNamed(root, 'EntitiesDescriptor'))
    return refuse('SAML 2.0 metadata: an EntityDescriptor')
  const providers = entitiesIn(root).flatMap((entity) =>
    spDescriptors(entity).map((descriptor) => ({ entity, descriptor })),
  )
  const [provider] = providers
  if (provider === undefined) return refuse('an SPSSODescriptor that supports SAML 2.0')
  if (providers.length > 1) return refuse(`one service provider, got ${String(providers.length)}`)
  const { entity, descriptor } = provider
  checkValidity(descriptor, now)
  const entityId = attributeOf(entity, 'entityID')
  if (entityId === null) return refuse('an entityID on the EntityDescriptor')
  const consumers = inOrder(
    inMetadata(descriptor, 'AssertionConsumerService')
      .filter((element) => attributeOf(element, 'Binding') === bindings.post)
      .map(consumerOf),
  )
  if (consumers.length === 0) return refuse('an AssertionConsumerService with the binding HTTP-POST')
  if (consumers.length > MAX_ACS_URLS)
    return refuse(`at most ${String(MAX_ACS_URLS)} addresses with the binding HTTP-POST`)
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
 * @throws SpMetadataError for any other document
 */
export const readSpMetadata = (text: string, now: Date): SpMetadata => {
  try {
    return read(text, now)
  } catch (error) {
    if (error instanceof SamlXmlError) return refuse(error.message.replace(/^expected /, ''))
    throw error
  }
}
