/** SAML 2.0 Metadata §2.3: finds the one entity of a document that plays a role. Nothing is fetched. */
import { namespaces } from '../../../domain/saml/names.ts'
import { attributeOf, childrenNamed, parseXml, XmlError, xmlLimits } from '../../kernel/xml.ts'

/** Metadata that cannot be used; the message says what was expected. */
export class MetadataError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MetadataError'
  }
}

export const refuseMetadata = (expected: string): never => {
  throw new MetadataError(`metadataXml: expected ${expected}`)
}

interface Role {
  readonly element: 'SPSSODescriptor' | 'IDPSSODescriptor'
  readonly name: string
}

const roles: Readonly<Record<Role['element'], Role>> = {
  SPSSODescriptor: { element: 'SPSSODescriptor', name: 'service provider' },
  IDPSSODescriptor: { element: 'IDPSSODescriptor', name: 'identity provider' },
}

export const inMetadata = (parent: Node, name: string): readonly Element[] =>
  childrenNamed(parent, namespaces.metadata, name)

const isNamed = (element: Element, name: string): boolean =>
  element.namespaceURI === namespaces.metadata && element.localName === name

/** Returns the descriptors of a role that support SAML 2.0. */
const descriptorsOf = (entity: Element, { element }: Role): readonly Element[] =>
  inMetadata(entity, element).filter((descriptor) =>
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
    if (Number.isNaN(time)) refuseMetadata('validUntil to be a date and time')
    if (time <= now.getTime()) refuseMetadata(`metadata that is still valid; it expired at ${until}`)
  }
}

/**
 * Returns the only entity with a role, and its descriptor.
 * @throws MetadataError, XmlError
 */
export const descriptorIn = (
  text: string,
  element: Role['element'],
  now: Date,
): { readonly entityId: string; readonly descriptor: Element } => {
  const role = roles[element]
  const root = parseXml(text, xmlLimits).documentElement
  if (!isNamed(root, 'EntityDescriptor') && !isNamed(root, 'EntitiesDescriptor'))
    return refuseMetadata('SAML 2.0 metadata: an EntityDescriptor')
  const found = entitiesIn(root).flatMap((entity) =>
    descriptorsOf(entity, role).map((descriptor) => ({ entity, descriptor })),
  )
  const [one] = found
  if (one === undefined) return refuseMetadata(`an ${element} that supports SAML 2.0`)
  if (found.length > 1) return refuseMetadata(`one ${role.name}, got ${String(found.length)}`)
  checkValidity(one.descriptor, now)
  const entityId = attributeOf(one.entity, 'entityID')
  if (entityId === null) return refuseMetadata('an entityID on the EntityDescriptor')
  return { entityId, descriptor: one.descriptor }
}

/** Runs a reader of metadata. @throws MetadataError also for text that is not XML */
export const expectedOf = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (error instanceof XmlError) return refuseMetadata(error.message.replace(/^expected /, ''))
    throw error
  }
}
