import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import type { LogConfig } from './config.ts'
import { redact } from './redact.ts'
import { textLine } from './text-line.ts'

/**
 * The service's logger: one line per entry, without secrets, as JSON or as text. Errors belong in the field `err`.
 *
 * @param out receives the lines; process.stdout for the server
 */
export const createLogger = (config: LogConfig, out: DestinationStream): Logger => {
  const format = config.format === 'json' ? jsonLine : textLine
  return pino(
    {
      level: config.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    // Pino's own redaction works by path, but a secret may appear at any depth, in a child's fields or inside a text.
    { write: (line) => out.write(format(redact(JSON.parse(line)) as Record<string, unknown>)) },
  )
}

const jsonLine = (entry: Record<string, unknown>): string => `${JSON.stringify(entry)}\n`
