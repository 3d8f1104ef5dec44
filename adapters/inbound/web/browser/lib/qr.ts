import { encode } from 'uqr'
import { texts } from './texts.ts'

const words = texts({
  en: {
    label: 'QR code for your authenticator app. The same key is shown below as text.',
  },
  de: {
    label: 'QR-Code für Ihre Authenticator-App. Derselbe Schlüssel steht darunter als Text.',
  },
})

const svgNamespace = 'http://www.w3.org/2000/svg'

/** Width of the white border in modules: scanners need four (ISO/IEC 18004 §6.3.8). */
const quietZone = 4

const svgElement = (name: string, attributes: Readonly<Record<string, string>>): SVGElement => {
  const made = document.createElementNS(svgNamespace, name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  return made
}

/**
 * Draws `text` as a QR code into `container`: dark on white in every theme, as scanners expect. Built from
 * DOM nodes, so that no page policy blocks it.
 */
export const renderQr = (container: HTMLElement, text: string): void => {
  const { size, data } = encode(text, { border: quietZone })
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  const drawing = svgElement('svg', {
    class: 'qr',
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': words().label,
    'shape-rendering': 'crispEdges',
  })
  drawing.append(
    svgElement('rect', { width: String(size), height: String(size), fill: '#fff' }),
    svgElement('path', { d: dark, fill: '#000' }),
  )
  container.replaceChildren(drawing)
}
