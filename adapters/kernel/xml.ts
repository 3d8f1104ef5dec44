/**
 * Parses untrusted XML with one strict parser (XML 1.0, Namespaces in XML 1.0): no document type and so no custom
 * entities, no processing instructions, no CDATA, no comments within a value, and limits on everything. The tree is
 * built from the events of that parser, so that no second parser can read the same bytes differently.
 */
import { DOMImplementation, XMLSerializer } from '@xmldom/xmldom'
import { SaxesParser, type SaxesTagNS } from 'saxes'

export interface XmlLimits {
  /** Bytes of the text in UTF-8 */
  readonly bytes: number
  readonly depth: number
  readonly elements: number
  /** Attributes of one element, including namespace declarations */
  readonly attributes: number
  /** Attributes of all elements together, including namespace declarations */
  readonly allAttributes: number
  /** Namespace declarations in the whole document */
  readonly namespaces: number
  /**
   * Number of `<`, `&`, `-` and line breaks anywhere: tags, comments, references and lines cost more to parse than
   * their bytes.
   */
  readonly marks: number
}

/** Limits for the metadata of one member of a federation. */
export const xmlLimits: XmlLimits = {
  bytes: 256 * 1024,
  depth: 40,
  elements: 5000,
  attributes: 50,
  allAttributes: 10_000,
  namespaces: 500,
  marks: 20_000,
}

/** Text that is not acceptable XML; the message says why. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'XmlError'
  }
}

const refuse = (why: string): never => {
  throw new XmlError(why)
}

interface Open {
  readonly element: Element
  hasText: boolean
  hasComment: boolean
}

const elementOf = (document: Document, tag: SaxesTagNS): Element => {
  const element = document.createElementNS(tag.uri === '' ? null : tag.uri, tag.name)
  for (const { name, uri, value } of Object.values(tag.attributes))
    element.setAttributeNS(uri === '' ? null : uri, name, value)
  return element
}

/** Input that is slow to parse: long runs of blanks, and tags or comments that are one long word. */
const LONG_RUN = /[ \t]{256}|<[^\s>/]{512}/

/** Counts the marks in a text; stops at too many. */
const countMarks = (text: string, most: number): number => {
  const mark = /[<&\r\n-]/g
  let marks = 0
  while (marks <= most && mark.test(text)) marks++
  return marks
}

/**
 * Reads a document. The tree omits comments.
 * @throws XmlError for anything other than plain, well-formed XML within the limits
 */
export const parseXml = (text: string, limits: XmlLimits = xmlLimits): Document => {
  if (Buffer.byteLength(text) > limits.bytes) refuse(`expected at most ${String(limits.bytes)} bytes of XML`)
  if (countMarks(text, limits.marks) > limits.marks)
    refuse(`expected at most ${String(limits.marks)} tags, comments, references and lines`)
  if (LONG_RUN.test(text)) refuse('expected no long names and no long runs of whitespace')
  const document = new DOMImplementation().createDocument(null, null, null)
  const open: Open[] = []
  let elements = 0
  let attributes = 0
  let ofElement = 0
  let declarations = 0

  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', ({ message }) => refuse(`expected well-formed XML (line:column ${message})`))
  parser.on('xmldecl', ({ version }) => {
    if (version !== '1.0') refuse('expected XML 1.0')
  })
  parser.on('doctype', () => refuse('expected XML without a document type (DOCTYPE)'))
  parser.on('processinginstruction', () => refuse('expected XML without processing instructions'))
  parser.on('cdata', () => refuse('expected XML without CDATA sections'))
  parser.on('comment', () => {
    const current = open.at(-1)
    if (current !== undefined) current.hasComment = true
  })
  parser.on('opentagstart', () => {
    if (open.length >= limits.depth) refuse(`expected at most ${String(limits.depth)} levels of elements`)
    if (++elements > limits.elements) refuse(`expected at most ${String(limits.elements)} elements`)
    ofElement = 0
  })
  // Counted as each attribute is read, because an element is reported only after all of its attributes.
  parser.on('attribute', ({ name }) => {
    if (++ofElement > limits.attributes)
      refuse(`expected at most ${String(limits.attributes)} attributes on one element`)
    if (++attributes > limits.allAttributes)
      refuse(`expected at most ${String(limits.allAttributes)} attributes`)
    if ((name === 'xmlns' || name.startsWith('xmlns:')) && ++declarations > limits.namespaces)
      refuse(`expected at most ${String(limits.namespaces)} namespace declarations`)
  })
  parser.on('opentag', (tag) => {
    const element = elementOf(document, tag)
    const parent = open.at(-1)?.element ?? document
    parent.appendChild(element)
    open.push({ element, hasText: false, hasComment: false })
  })
  parser.on('text', (data) => {
    const current = open.at(-1)
    if (current === undefined) return
    current.element.appendChild(document.createTextNode(data))
    if (data.trim() !== '') current.hasText = true
  })
  parser.on('closetag', ({ name }) => {
    const closed = open.pop()
    if (closed?.hasText === true && closed.hasComment)
      refuse(`expected no comment within the text of ${name.slice(0, 100)}`)
  })
  parser.write(text).close()
  return document
}

/**
 * Returns the tree as text.
 * @throws Error if the tree is not well-formed XML
 */
export const serializeXml = (node: Node): string =>
  new XMLSerializer().serializeToString(node, false, undefined, { requireWellFormed: true })

/** Returns the child elements, in order. */
export const childElements = (parent: Node): readonly Element[] =>
  Array.from({ length: parent.childNodes.length }, (_, i) => parent.childNodes.item(i)).filter(
    (node): node is Element => node?.nodeType === 1,
  )

/** Returns the child elements with this name. */
export const childrenNamed = (parent: Node, namespace: string, name: string): readonly Element[] =>
  childElements(parent).filter((child) => child.namespaceURI === namespace && child.localName === name)

/** Returns an attribute without a namespace, which may be empty; null if it is missing. */
export const attributeOf = (element: Element, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null

/**
 * Returns the text of an element.
 * @throws XmlError if it contains elements
 */
export const textOf = (element: Element): string =>
  childElements(element).length > 0
    ? refuse(`expected only text in ${element.nodeName}`)
    : (element.textContent ?? '').trim()
