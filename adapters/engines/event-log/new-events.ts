/** Validation of appends, for both engines. */
import type { Append, AppendResult, EventLog } from './event-log.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const NAME_LIMIT = 500

const checkName = (what: string, name: string): void => {
  // oxlint-disable-next-line no-control-regex -- a NUL is what Postgres cannot store
  if (name === '' || name.length > NAME_LIMIT || name.startsWith('$') || /\u0000|\p{Surrogate}/u.test(name)) {
    throw new TypeError(
      `${what} must be 1 to ${String(NAME_LIMIT)} characters of well-formed text without NUL that do not begin with "$"`,
    )
  }
}

/** @throws TypeError naming what is wrong with the append */
const checkAppend = ({ stream, expected, events }: Append): void => {
  checkName('stream', stream)
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new TypeError(
      'expected must be a revision (a whole number from 0), no_stream, stream_exists or any',
    )
  }
  if (events.length === 0) throw new TypeError('events must contain at least one event')
  const ids = new Set<string>()
  for (const { id, type } of events) {
    checkName('type', type)
    if (!UUID.test(id)) throw new TypeError('id must be a UUID in lower case')
    ids.add(id)
  }
  if (ids.size !== events.length) throw new TypeError('id must differ between the events of one append')
}

/**
 * Returns the append functions of an event log, which check each append first.
 * @param send sends one append to the engine
 */
export const checkedAppends = (
  send: (append: Append) => Promise<AppendResult>,
): Pick<EventLog, 'append' | 'appendMany'> => ({
  append: async (stream, expected, events) => {
    const append = { stream, expected, events }
    checkAppend(append)
    const result = await send(append)
    if (result instanceof Error) throw result
    return result
  },
  appendMany: async (appends) => {
    appends.forEach(checkAppend)
    return Promise.all(appends.map(send))
  },
})
