import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import type { LogConfig } from './config.ts'
import { redact } from './redact.ts'
import { textLine } from './text-line.ts'

/**
 * The service's logger: one line an entry, without secrets, as JSON for machines or as text for a person.
 * Errors belong in the field `err`.
 *
 * @param out where lines go; process.stdout for the server
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
    // Pino's own redaction knows paths; a secret may turn up at any depth, in a child's fields or inside a text.
    { write: (line) => out.write(format(redact(JSON.parse(line)) as Record<string, unknown>)) },
  )
}

const jsonLine = (entry: Record<string, unknown>): string => `${JSON.stringify(entry)}\n`
