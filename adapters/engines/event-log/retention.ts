/** How long the log keeps events. Sign-ins are kept as the settings say, and the settings are in the log. */
import {
  retentionOf,
  retentionPeriods,
  retentionSeconds,
  type RetentionPeriod,
} from '../../../domain/retention.ts'
import { organizationStream } from '../../../domain/organization/decider.ts'
import type { EventLog, RetentionPolicy } from './event-log.ts'

/** Reads the retention settings that were ever in force. */
export const readPeriods = async ({
  readStream,
}: Pick<EventLog, 'readStream'>): Promise<readonly RetentionPeriod[]> =>
  retentionPeriods(
    (await readStream(organizationStream)).filter(({ type }) => type === 'organization.updated'),
  )

export const microsecondsOf = (time: Date): number => time.getTime() * 1000

export interface LogRetention {
  /** By the settings as they were last read; by the default before */
  readonly policy: RetentionPolicy
  /** Reads the settings. The policy follows them from then on. */
  readonly refresh: (log: Pick<EventLog, 'readStream'>) => Promise<readonly RetentionPeriod[]>
}

/** @param now reads the clock of the machine, which also gives events their time */
export const logRetention = (now: () => Date): LogRetention => {
  let periods = retentionPeriods([])
  return {
    policy: (category) => retentionSeconds(retentionOf(category), periods, microsecondsOf(now())),
    refresh: async (log) => (periods = await readPeriods(log)),
  }
}
