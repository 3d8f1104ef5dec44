import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import {
  countSignIns,
  intervals,
  type CountedPeriod,
} from '../../../read-models/queries/sign-in-statistics.ts'
import type { Services } from '../../application/services/services.ts'
import { fields, route, type Route } from '../http/route.ts'
import { readers, Time, timeInput } from '../http/schemas.ts'
import { between } from './sign-in-schemas.ts'

const MOST_INTERVALS = 400
/** The first time that the database knows. */
const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z')
const usual = { hour: 24, day: 30 } as const

export const SignInCount = Type.Object(
  {
    start: Time,
    success: Type.Integer(),
    failure: Type.Integer(),
    interrupted: Type.Integer(),
  },
  { title: 'SignInCount' },
)

interface Query {
  readonly interval?: CountedPeriod['interval'] | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * Returns the period to count, from the start of an interval.
 * @throws DomainError ERR_INVALID if it ends before it starts, or is too long
 */
const periodOf = (query: Query, now: string): CountedPeriod => {
  const { interval = 'hour' } = query
  const length = intervals[interval]
  const { from, to = now } = between(query)
  // Without a start, the interval that is running is the last one.
  const asked = from === undefined ? Date.parse(to) - 1 - (usual[interval] - 1) * length : Date.parse(from)
  const first = Math.max(FIRST_YEAR, Math.floor(asked / length) * length)
  const problem =
    from !== undefined && from >= to
      ? 'expected a time before to'
      : (Date.parse(to) - first) / length > MOST_INTERVALS
        ? `expected at most ${String(MOST_INTERVALS)} intervals until to`
        : null
  if (problem !== null) throw new DomainError('ERR_INVALID', `from: ${problem}`, '/from')
  return { interval, from: new Date(first).toISOString(), to }
}

/** Routes that count sign-in attempts. */
export const signInStatisticsRoutes = ({
  pool,
  clock,
}: Pick<Services, 'pool' | 'clock'>): readonly Route[] => [
  route({
    method: 'GET',
    path: '/sign-ins/statistics',
    tag: 'Sign-in events',
    summary: 'Count sign-in attempts by hour or day',
    description:
      `Oldest first, with intervals without attempts, at most ${String(MOST_INTERVALS)}. Days are days in UTC. ` +
      'Attempts are counted until their retention ends.',
    access: readers,
    query: fields({
      interval: Type.Optional(Type.Enum(['hour', 'day'], { default: 'hour' })),
      from: Type.Optional(
        timeInput(
          'Time in the first interval; default: 24 hours or 30 days before `to`, the last one included',
        ),
      ),
      to: Type.Optional(timeInput('End time (exclusive); default: now')),
    }),
    result: Type.Array(SignInCount),
    status: 200,
    errors: [],
    handle: async ({ query }) => ({ body: await countSignIns(pool, periodOf(query, clock.now())) }),
  }),
]
