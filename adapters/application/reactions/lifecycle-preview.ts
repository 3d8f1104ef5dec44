/** What lifecycle rules would do: whom a rule concerns now, and what a user's dates will trigger. */
import { matchesRule } from '../../../domain/group/rule.ts'
import {
  dateTriggers,
  profileDateTriggers,
  type DateTriggerType,
  type ProfileDateTriggerType,
} from '../../../domain/lifecycle-rule/events.ts'
import { profileInstant } from '../../../domain/lifecycle-rule/instants.ts'
import { secondsAfter, type Instant } from '../../../domain/time.ts'
import {
  dateColumn,
  lifecyclePerson,
  peopleMatching,
  type LifecyclePerson,
} from '../../../read-models/queries/lifecycle-people.ts'
import { dateRules, type LifecycleRuleRow } from '../../../read-models/queries/lifecycle-rules.ts'
import type { Services } from '../services/services.ts'
import { LATE_DAYS, peopleDue } from './lifecycle-dates.ts'

/** The users that a preview counts at most, and returns. */
const COUNTED = 1000
const SHOWN = 200
const PAGE = 1000
/** Pages of users that a preview reads at most. */
const PAGES = 100
const DAY_SECONDS = 86_400

interface Concerned {
  readonly person: LifecyclePerson
  readonly at: Instant | null
}

export const lifecyclePreview = ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) => {
  const matching = async ({ trigger, conditions }: LifecycleRuleRow): Promise<readonly Concerned[]> => {
    const found: Concerned[] = []
    let after = ''
    for (let page = 1; page <= PAGES && found.length < COUNTED; page++) {
      const people = await peopleMatching(pool, trigger, clock.now(), PAGE, after)
      for (const person of people)
        if (conditions === null || matchesRule(conditions, person.subject)) found.push({ person, at: null })
      const last = people.at(-1)
      if (last === undefined || people.length < PAGE) break
      after = last.id
    }
    return found.slice(0, COUNTED)
  }

  return {
    /**
     * Whom the rule would concern: for a date, the users whose date was in the last month or comes in the next, and that
     * the rule has not acted on; else those who are now what the trigger says.
     */
    of: async (rule: LifecycleRuleRow) => {
      const now = clock.now()
      const { type } = rule.trigger
      const around = [
        secondsAfter(now, -LATE_DAYS * DAY_SECONDS),
        secondsAfter(now, type === 'inactive_days' ? 0 : LATE_DAYS * DAY_SECONDS),
      ] as const
      const isDate = (dateTriggers as readonly string[]).includes(type)
      const dated = { ...rule, trigger: { ...rule.trigger, type: type as DateTriggerType } }
      const all: readonly Concerned[] = isDate
        ? await peopleDue(pool, dated, around, COUNTED)
        : await matching(rule)
      return {
        total: all.length,
        users: all.slice(0, SHOWN).map(({ person, at }) => ({
          id: person.id,
          name: person.name,
          email: person.subject.email ?? '',
          at,
          hasRole: person.roles.length > 0,
        })),
        wouldPause: all.length > rule.maxPerRun,
      }
    },

    /** What the dates of a user's profile will trigger, in order. */
    scheduledFor: async (userId: string) => {
      const person = await lifecyclePerson(pool, userId)
      if (person === null) return []
      const now = clock.now()
      return (await dateRules(pool))
        .flatMap((rule) => {
          const { type } = rule.trigger
          if (!(profileDateTriggers as readonly string[]).includes(type)) return []
          if (rule.conditions !== null && !matchesRule(rule.conditions, person.subject)) return []
          const trigger = { ...rule.trigger, type: type as ProfileDateTriggerType }
          const date = dateColumn(trigger.type) === 'start_date' ? person.startDate : person.endDate
          const at = date === null ? null : profileInstant(trigger, date, person.timeZone)
          return at === null || at <= now ? [] : [{ ruleId: rule.id, ruleName: rule.name, trigger: type, at }]
        })
        .sort((a, b) => (a.at < b.at ? -1 : 1))
    },
  }
}
