import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import type { LogConfig } from './config.ts'
import { redact, redactText } from './redact.ts'
import { textLine } from './text-line.ts'

/**
 * The service's logger: one line an entry, secrets taken out, as JSON for machines or as text for a person.
 *
 * @param out where lines go; process.stdout for the server
 */
export const createLogger = (config: LogConfig, out: DestinationStream): Logger =>
  pino(
    {
      level: config.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (level) => ({ level }),
        bindings: redactFields,
        log: redactFields,
      },
      hooks: { streamWrite: redactText },
    },
    config.format === 'json' ? out : { write: (line) => out.write(textLine(line)) },
  )

const redactFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redact(name, value)]))
