import { accentTokens, type AccentTokens } from '../../../domain/branding/accent.ts'

const declared = ({ accent, accentStrong, onAccent, accentWash, groundGlow }: AccentTokens): string =>
  `--accent:${accent};--accent-strong:${accentStrong};--on-accent:${onAccent};--accent-wash:${accentWash};--ground-glow:${groundGlow}`

/** Returns the style sheet that replaces the accent colour of the design tokens. @param color as `isColor` accepts it */
export const themeCss = (color: string): string => {
  const { light, dark } = accentTokens(color)
  return `:root{${declared(light)}}@media (prefers-color-scheme:dark){:root{${declared(dark)}}}\n`
}
