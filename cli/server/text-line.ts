const shown = { time: 24, level: 5 }

/** Formats a log entry as text: `time LEVEL message name=value …`, an error's stack below. */
export const textLine = (entry: Record<string, unknown>): string => {
  const { time, level, msg, err, ...fields } = entry
  const start = [
    asText(time).padEnd(shown.time),
    asText(level).toUpperCase().padEnd(shown.level),
    asText(msg),
  ]
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${quoted(value)}`)
  return `${[...start, ...rest].filter((part) => part !== '').join(' ')}\n${errorLines(err)}`
}

const errorLines = (err: unknown): string => {
  if (typeof err !== 'object' || err === null) return err === undefined ? '' : `  ${quoted(err)}\n`
  const { stack, message, type, ...fields } = err as Record<string, unknown>
  const main = asText(stack ?? `${asText(type)}: ${asText(message)}`).replaceAll('\n', '\n  ')
  const rest = Object.keys(fields).length === 0 ? '' : `  ${JSON.stringify(fields)}\n`
  return `  ${main}\n${rest}`
}

/** Control characters are shown, not sent: a log line must not move a terminal's cursor. */
const asText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  return plain.replace(/[^\P{Cc}\n]/gu, (character) => JSON.stringify(character).slice(1, -1))
}

const quoted = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value)
