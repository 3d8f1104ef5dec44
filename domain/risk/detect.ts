/** The risk of a sign-in, from the user's earlier sign-ins and nothing else. */
import { countryOf, leastDistanceKm } from './countries.ts'
import type { RiskLevel, RiskType, SignInRisk } from './events.ts'

/** An earlier successful sign-in. */
interface EarlierSignIn {
  /** Milliseconds since 1970 */
  readonly at: number
  readonly location: string | null
}

/** The sign-in whose risk is asked for. */
interface AttemptFacts extends EarlierSignIn {
  /** Whether the user has never signed in with this device. */
  readonly deviceIsNew: boolean
  /** Whether the address belongs to networks that hide who uses them. */
  readonly isAnonymized: boolean
}

export interface HistoryFacts {
  /** In any order. */
  readonly successes: readonly EarlierSignIn[]
  /** Failed attempts for this user within the window. */
  readonly failures: number
}

export const FAILURES_WINDOW_SECONDS = 600
const LEAST_FAILURES = 10
/** The speed of an airliner. */
const MAX_KM_PER_HOUR = 900
/** Locations of addresses are inexact. */
const LEAST_KM = 500
const MS_PER_HOUR = 3_600_000

/** Whether nobody could have travelled the distance in the time. */
const isImpossible = (km: number, milliseconds: number): boolean =>
  km >= LEAST_KM && km > (MAX_KM_PER_HOUR * milliseconds) / MS_PER_HOUR

type Located = EarlierSignIn & { readonly location: string }
const isLocated = (signIn: EarlierSignIn): signIn is Located => signIn.location !== null

const travel = (to: Located, from: Located): readonly SignInRisk[] => {
  const km = leastDistanceKm(countryOf(from.location), countryOf(to.location))
  // Clocks of instances differ slightly, so the later sign-in can have the earlier time.
  const milliseconds = Math.abs(to.at - from.at)
  if (!isImpossible(km, milliseconds)) return []
  const minutes = Math.round(milliseconds / 60_000)
  const detail = { from: from.location, to: to.location, leastKm: Math.round(km), minutes }
  return [{ riskType: 'impossible_travel', level: 'high', detail }]
}

/** Returns the risks of a user's successful sign-in. The first one of a user has no history to differ from. */
export const detectRisks = (
  attempt: AttemptFacts,
  { successes, failures }: HistoryFacts,
): readonly SignInRisk[] => {
  const located = successes.filter(isLocated)
  const here = isLocated(attempt) ? attempt : null
  const last = located.reduce<Located | null>(
    (latest, next) => (latest === null || next.at > latest.at ? next : latest),
    null,
  )
  const country = here === null ? null : countryOf(here.location)
  return [
    ...(here === null || last === null ? [] : travel(here, last)),
    ...(country === null ||
    located.length === 0 ||
    located.some(({ location }) => countryOf(location) === country)
      ? []
      : [{ riskType: 'new_country', level: 'medium', detail: { country } } as const]),
    ...(failures < LEAST_FAILURES
      ? []
      : [
          {
            ...({ riskType: 'repeated_failures', level: 'medium' } as const),
            detail: { failures, windowSeconds: FAILURES_WINDOW_SECONDS },
          },
        ]),
    ...(attempt.isAnonymized ? [{ riskType: 'anonymizer_ip', level: 'medium', detail: {} } as const] : []),
    ...(attempt.deviceIsNew && successes.length > 0
      ? [{ riskType: 'new_device', level: 'low', detail: {} } as const]
      : []),
  ]
}

const ascending = ['none', 'low', 'medium', 'high'] as const

/** Returns the highest of some levels, `none` if there are none. */
export const highestLevel = (levels: readonly (RiskLevel | 'none')[]): 'none' | RiskLevel =>
  ascending.findLast((level) => levels.includes(level)) ?? 'none'

/** Returns the type of the first of the highest risks; null if none reaches a level. */
export const highestRisk = (
  risks: readonly { readonly riskType: RiskType; readonly level: RiskLevel }[],
  least: RiskLevel,
): RiskType | null => {
  const highest = highestLevel(risks.map(({ level }) => level))
  if (ascending.indexOf(highest) < ascending.indexOf(least)) return null
  return risks.find(({ level }) => level === highest)?.riskType ?? null
}
