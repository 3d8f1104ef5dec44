/**
 * Starts lifecycle rules at their time. Each rule, user and date is started once, in the order of the times, also after
 * a downtime; clocks that are put back repeat nothing.
 */
import { matchesRule } from '../../../domain/group/rule.ts'
import type { DateTriggerType, ProfileDateTriggerType } from '../../../domain/lifecycle-rule/events.ts'
import { daysFrom, daysLater, profileInstant } from '../../../domain/lifecycle-rule/instants.ts'
import type { Instant } from '../../../domain/time.ts'
import { secondsAfter } from '../../../domain/time.ts'
import {
  dateColumn,
  inactivePeople,
  peopleByDate,
  peopleWithExpiring,
  type LifecyclePerson,
} from '../../../read-models/queries/lifecycle-people.ts'
import { dateRules, type EnabledRule } from '../../../read-models/queries/lifecycle-rules.ts'
import type { Services } from '../services/services.ts'
import { privilegedByRow, startRuns, type Start } from './lifecycle-start.ts'

/** How late a date is still caught up. Older ones are shown in the preview of the rule. */
export const LATE_DAYS = 31

const DAY_SECONDS = 86_400
/** Users per page. */
const PAGE = 1000
/** Users of a rule in one pass; the limits of rules are lower. */
const MOST = 10_000

/** Someone whose date has come, or comes. */
export interface DatedPerson {
  readonly person: LifecyclePerson
  readonly at: Instant
  readonly key: string
  /** Of the profile */
  readonly date?: string
}

type DateRule = Pick<EnabledRule, 'id' | 'conditions'> & {
  readonly trigger: EnabledRule['trigger'] & { readonly type: DateTriggerType }
}

/** The beginning of the keys of runs; the date follows. */
const keyPrefix = (type: DateTriggerType): string => `${type}|`

/**
 * Returns the users whose time is after one moment and not after another, without those that a run exists for and those
 * who do not match, in order.
 * @param most users
 */
export const peopleDue = async (
  pool: Services['pool'],
  rule: DateRule,
  [after, upTo]: readonly [Instant, Instant],
  most: number,
): Promise<readonly DatedPerson[]> => {
  const { trigger, conditions } = rule
  const { type, days = 0 } = trigger
  const found: DatedPerson[] = []
  const prefix = keyPrefix(type)
  const matches = ({ subject }: LifecyclePerson): boolean =>
    conditions === null || matchesRule(conditions, subject)

  if (type === 'inactive_days' || type === 'assignment_expiring') {
    const shift = type === 'inactive_days' ? -days * DAY_SECONDS : days * DAY_SECONDS
    const range = [secondsAfter(after, shift), secondsAfter(upTo, shift)] as const
    const people =
      type === 'inactive_days'
        ? await inactivePeople(pool, rule.id, prefix, range, most)
        : await peopleWithExpiring(pool, rule.id, trigger.packageId ?? null, prefix, range, most)
    for (const { at, key, ...person } of people)
      if (matches(person)) found.push({ person, at: secondsAfter(at, -shift), key })
    return found
  }

  const ofProfile = { ...trigger, type } as typeof trigger & { type: ProfileDateTriggerType }
  const shift = -daysFrom(trigger)
  // Local dates differ from those in UTC by at most a day.
  const range = [daysLater(after.slice(0, 10), shift - 1), daysLater(upTo.slice(0, 10), shift + 1)] as const
  let last: readonly [string, string] = ['', '']
  for (;;) {
    const page = await peopleByDate(pool, rule.id, dateColumn(ofProfile.type), prefix, range, PAGE, last)
    for (const { date, ...person } of page) {
      const at = profileInstant(ofProfile, date, person.timeZone)
      if (at !== null && at > after && at <= upTo && matches(person))
        found.push({ person, at, key: prefix + date, date })
    }
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE || found.length >= most) break
    last = [end.date, end.id]
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(0, most)
}

/** The earliest date for which a missed run still happens. */
export const caughtUpFrom = (appliesFrom: Instant, now: Instant): Instant => {
  const earliest = secondsAfter(now, -LATE_DAYS * DAY_SECONDS)
  return appliesFrom > earliest ? appliesFrom : earliest
}

export const lifecycleDates = (
  services: Pick<Services, 'pool' | 'handle' | 'inForce' | 'locks' | 'clock'>,
) => {
  const { pool, inForce, locks, clock } = services
  const start = startRuns(services)

  /** @param inactive whether to look for inactive users, which reads every user */
  return (inactive: boolean): Promise<void> =>
    // One instance at a time, so that the safety stop counts what the others started.
    locks.alone('lifecycle-dates', async () => {
      const rules = (await dateRules(pool)).filter(
        ({ trigger }) => (trigger.type === 'inactive_days') === inactive,
      )
      const starts: Start[] = []
      for (const rule of rules) {
        const now = clock.now()
        const range = [caughtUpFrom(rule.appliesFrom, now), now] as const
        const due = await peopleDue(pool, rule, range, MOST)
        for (const { person, at, key, date } of due)
          starts.push({
            rule,
            userId: person.id,
            trigger: {
              ...{ type: rule.trigger.type, key, eventId: null, at },
              ...(date === undefined ? {} : { date }),
            },
            actions: rule.actions,
            delayMinutes: rule.delayMinutes,
            privilegedBy: privilegedByRow(rule),
            depth: 1,
          })
      }
      if (starts.length === 0) return
      await inForce(await start([...starts].sort((a, b) => (a.trigger.at < b.trigger.at ? -1 : 1))))
    })
}
