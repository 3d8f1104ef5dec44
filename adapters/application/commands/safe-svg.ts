/**
 * Makes an SVG safe to show: keeps the elements and attributes that draw, and drops everything else, such as scripts,
 * event handlers, links, styles and references to other files.
 */
import { DOMImplementation, DOMParser, XMLSerializer } from '@xmldom/xmldom'
import { DomainError } from '../../../domain/errors.ts'

const SVG = 'http://www.w3.org/2000/svg'
const MAX_DEPTH = 64

const elements: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'title', 'desc', 'use', 'clipPath', 'mask', 'pattern', 'marker'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'tspan'],
  ...['linearGradient', 'radialGradient', 'stop'],
])

const attributes: ReadonlySet<string> = new Set([
  ...[
    'id',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'dx',
    'dy',
    'cx',
    'cy',
    'r',
    'rx',
    'ry',
    'fx',
    'fy',
    'd',
    'points',
  ],
  ...['width', 'height', 'viewBox', 'preserveAspectRatio', 'transform', 'gradientTransform', 'gradientUnits'],
  ...[
    'patternTransform',
    'patternUnits',
    'patternContentUnits',
    'clipPathUnits',
    'maskUnits',
    'maskContentUnits',
  ],
  ...[
    'spreadMethod',
    'offset',
    'stop-color',
    'stop-opacity',
    'fill',
    'fill-rule',
    'fill-opacity',
    'clip-rule',
  ],
  ...['stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'stroke-miterlimit', 'stroke-dasharray'],
  ...[
    'stroke-dashoffset',
    'stroke-opacity',
    'opacity',
    'color',
    'clip-path',
    'mask',
    'marker-start',
    'marker-mid',
  ],
  ...[
    'marker-end',
    'refX',
    'refY',
    'markerWidth',
    'markerHeight',
    'markerUnits',
    'orient',
    'display',
    'visibility',
  ],
  ...[
    'font-family',
    'font-size',
    'font-weight',
    'font-style',
    'text-anchor',
    'letter-spacing',
    'dominant-baseline',
  ],
])

/** A reference inside the same document, alone or in `url()`. */
const FRAGMENT = /^#[\w.-]+$/
const OTHER_REFERENCE = /url\(\s*(?!["']?#[\w.-]+["']?\s*\))/i

const invalid = (message: string): DomainError => new DomainError('ERR_INVALID', `body: ${message}`)

const refuse = (): never => {
  throw invalid('expected a well-formed SVG document')
}

const isSafe = (name: string, value: string): boolean =>
  name === 'href' || name === 'xlink:href'
    ? FRAGMENT.test(value)
    : attributes.has(name) && !OTHER_REFERENCE.test(value) && !/[\\<]/.test(value)

const copy = (from: Element, document: Document, depth: number): Element => {
  if (depth > MAX_DEPTH) throw invalid(`expected elements nested at most ${String(MAX_DEPTH)} deep`)
  const to = document.createElementNS(SVG, from.localName)
  for (const { name, value } of Array.from(from.attributes))
    // SVG 2 §16.1.2 replaces xlink:href, whose namespace would have to be declared.
    if (isSafe(name, value)) to.setAttribute(name === 'xlink:href' ? 'href' : name, value)
  for (const child of Array.from(from.childNodes))
    if (child.nodeType === 3) to.appendChild(document.createTextNode(child.nodeValue ?? ''))
    else if (child.nodeType === 1) {
      const element = child as Element
      if (element.namespaceURI === SVG && elements.has(element.localName))
        to.appendChild(copy(element, document, depth + 1))
    }
  return to
}

/**
 * @returns the document without what does not draw
 * @throws DomainError ERR_INVALID for anything but a well-formed SVG without a document type
 */
export const safeSvg = (text: string): string => {
  // Entities can grow without limit and read files.
  if (/<!\s*(?:DOCTYPE|ENTITY)/i.test(text)) throw invalid('expected an SVG without a document type')
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } })
  const { documentElement: root } = parser.parseFromString(text, 'image/svg+xml') as
    | Document
    | { documentElement: null }
  if (root?.namespaceURI !== SVG || root.localName !== 'svg') return refuse()
  const document = new DOMImplementation().createDocument(SVG, '', null)
  document.appendChild(copy(root, document, 0))
  return new XMLSerializer().serializeToString(document)
}
