import type { PastRecord } from '../../../read-models/queries/past.ts'
import type { Services } from './services.ts'

/** The streams that are read at the same time. */
const STREAMS_AT_ONCE = 10

/** Returns the rows of several streams at a log position, by table. */
export const recordsThen = async (
  pastRecord: Services['pastRecord'],
  streams: readonly string[],
  cut: string,
): Promise<PastRecord> => {
  const merged: Record<string, Readonly<Record<string, unknown>>[]> = {}
  for (let at = 0; at < streams.length; at += STREAMS_AT_ONCE) {
    const some = streams.slice(at, at + STREAMS_AT_ONCE)
    for (const record of await Promise.all(some.map((stream) => pastRecord(stream, cut))))
      for (const [table, rows] of Object.entries(record)) (merged[table] ??= []).push(...rows)
  }
  return merged
}
