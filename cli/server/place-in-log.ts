import type { EventLog, Position, RecordedEvent } from '../../adapters/engines/event-log/event-log.ts'
import { START } from '../../adapters/engines/event-log/event-log.ts'
import type { Instant } from '../../domain/time.ts'
import { marksMoment } from '../../projections/tables/log-moments.ts'
import { MOST_SKEW_SECONDS } from '../../read-models/queries/past.ts'

const PAGE = 5000
/** Number of collected positions above which irrelevant ones are dropped. */
const KEPT = 20_000

export interface PlaceInLog {
  /** '' before the first event */
  readonly position: string
  /** Number of events up to that position that the log still has */
  readonly events: number
}

interface Candidate extends PlaceInLog {
  readonly at: Instant
}

const timeOf = ({ metadata }: RecordedEvent): Instant => metadata['time'] as Instant

const earlier = (at: Instant, seconds: number): Instant =>
  `${new Date(Date.parse(at) - seconds * 1000).toISOString().slice(0, 23)}${at.slice(23)}`

/**
 * Finds the log position of a time in the log itself, by the rule of `?at=`: the last permanent event up to that time,
 * and the other events up to the next permanent one.
 * @param seen called with the number of events read, for progress
 */
export const placeOfTime = async (
  log: EventLog,
  time: Instant,
  seen: (events: number) => void,
): Promise<PlaceInLog> => {
  let nearest = ''
  let candidates: Candidate[] = []
  let start: PlaceInLog = { position: '', events: 0 }
  let following: 'start' | 'candidate' | 'none' = 'start'
  let events = 0
  const inQuestion = ({ at }: Candidate): boolean => at > earlier(nearest, MOST_SKEW_SECONDS)

  const look = (event: RecordedEvent): void => {
    events++
    const at = timeOf(event)
    const place = { position: event.position, events }
    if (marksMoment.has(event.type)) {
      following = at <= time ? 'candidate' : 'none'
      if (at > time) return
      if (at > nearest) nearest = at
      candidates.push({ ...place, at })
      if (candidates.length > KEPT)
        candidates = candidates.filter((each, i) => i === candidates.length - 1 || inQuestion(each))
      return
    }
    if (at > time || following === 'none') return
    const last = candidates.pop()
    if (following === 'start' || last === undefined) start = place
    else candidates.push({ ...last, ...place })
  }

  let position: Position = START
  for (;;) {
    const page = await log.readAll(position, PAGE)
    page.forEach(look)
    seen(page.length)
    position = page.at(-1)?.position ?? position
    if (page.length < PAGE) break
  }
  return nearest === '' ? start : (candidates.filter(inQuestion).at(-1) ?? start)
}

/** Counts the events up to a position. */
export const countUpTo = async (
  log: EventLog,
  until: string,
  seen: (events: number) => void,
): Promise<number> => {
  let count = 0
  let position: Position = START
  for (;;) {
    const page = await log.readAll(position, PAGE)
    const wanted = page.filter((event) => event.position <= until)
    count += wanted.length
    seen(page.length)
    position = page.at(-1)?.position ?? position
    if (wanted.length < PAGE) return count
  }
}
