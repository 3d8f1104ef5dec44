/**
 * The accent colour of the organization in both themes. Any colour can be chosen: it is darkened on light pages and
 * lightened on dark ones until text of that colour, and text on it, is readable (WCAG 2.2, contrast of at least 4.5:1).
 */

/** Red, green and blue, 0 to 255 */
type Rgb = readonly [number, number, number]

const FORM = /^#[0-9a-f]{6}$/

/** Whether a text is a colour as it is stored: `#0f5f66`. */
export const isColor = (text: string): boolean => FORM.test(text)

const rgbOf = (color: string): Rgb => {
  const at = (from: number): number => Number.parseInt(color.slice(from, from + 2), 16)
  return [at(1), at(3), at(5)]
}

const textOf = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** WCAG 2.2, relative luminance */
const luminance = (color: string): number => {
  const [red, green, blue] = rgbOf(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG 2.2, contrast ratio: 1 to 21 */
export const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** @param share of the second colour, 0 to 1 */
const mix = (one: string, other: string, share: number): string => {
  const [from, to] = [rgbOf(one), rgbOf(other)]
  return textOf(from.map((part, at) => part + ((to[at] ?? 0) - part) * share) as unknown as Rgb)
}

const READABLE = 4.5
const STEP = 0.02

/** Returns the colour, mixed with another one only as much as it takes to be readable on every ground. */
const readable = (color: string, towards: string, grounds: readonly string[]): string => {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(color, towards, share)
    if (grounds.every((ground) => contrast(mixed, ground) >= READABLE)) return mixed
  }
  return towards
}

/** The values of the design tokens of these names. */
export interface AccentTokens {
  readonly accent: string
  readonly accentStrong: string
  readonly onAccent: string
  readonly accentWash: string
  readonly groundGlow: string
}

const [WHITE, BLACK] = ['#ffffff', '#000000']
/** The grounds of pages and emails, as in the design tokens */
const light = { ground: '#f4f5f2', sunken: '#f7f8f6' }
const dark = { ground: '#0e1314', surface: '#171d1f', sunken: '#1c2426' }

const onLight = (color: string): AccentTokens => {
  const accentWash = mix(color, WHITE, 0.9)
  const groundGlow = mix(color, light.ground, 0.93)
  const accent = readable(color, BLACK, [WHITE, light.ground, light.sunken, accentWash, groundGlow])
  return { accent, accentStrong: mix(accent, BLACK, 0.22), onAccent: WHITE, accentWash, groundGlow }
}

const onDark = (color: string): AccentTokens => {
  const accentWash = mix(color, dark.surface, 0.82)
  const groundGlow = mix(color, dark.ground, 0.9)
  const accent = readable(color, WHITE, [...Object.values(dark), accentWash, groundGlow])
  return {
    accent,
    accentStrong: mix(accent, WHITE, 0.25),
    onAccent: readable(mix(accent, BLACK, 0.85), BLACK, [accent]),
    accentWash,
    groundGlow,
  }
}

/** @param color as `isColor` accepts it */
export const accentTokens = (
  color: string,
): { readonly light: AccentTokens; readonly dark: AccentTokens } => ({
  light: onLight(color),
  dark: onDark(color),
})
