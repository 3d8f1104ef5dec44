import { CliError, exitCodes } from '../server/exit-codes.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/**
 * Reads a duration such as `8h`, `30m` or `1h30m`; a number without a unit is seconds.
 * @returns seconds
 * @throws CliError for anything else
 */
export const validitySeconds = (text: string): number => {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  const parts = /^(?:\d{1,6}[smhd])+$/.test(text) ? [...text.matchAll(/(\d+)([smhd])/g)] : []
  if (parts.length === 0)
    throw new CliError(exitCodes.usage, `--validity: expected a duration such as 8h or 30m, got ${text}`)
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (SECONDS[unit] ?? 0), 0)
}
