/**
 * Wrong codes from unknown devices across users: the limit per network, and the alarm for code guessing. All
 * instances count in one table, which contains keyed digests instead of addresses and networks.
 */
import type { DetectedRisk } from '../../../domain/risk/events.ts'
import {
  GUESSING_WINDOW_SECONDS,
  isGuessing,
  NETWORK_BUDGET_SECONDS,
  networkBudget,
  QUIET_SECONDS,
} from '../../../domain/risk/code-guessing.ts'
import { riskDecider, riskStream } from '../../../domain/risk/decider.ts'
import { secondsAfter, type Instant } from '../../../domain/time.ts'
import { peopleCount } from '../../../read-models/queries/scim.ts'
import type { Services } from '../services/services.ts'
import { newId } from '../../kernel/ids.ts'

/** The limits for the next code from an unknown device. */
export interface StrangerState {
  /** Whether code guessing is in progress. If so, unknown devices have fewer attempts. */
  readonly alarm: boolean
  /** When the network may enter another code; null for now. */
  readonly networkRefusedUntil: Instant | null
}

interface Episode {
  readonly riskEventId: string
  readonly seenAt: Instant
  readonly reported: boolean
}

type Deps = Pick<Services, 'pool' | 'clock' | 'handle' | 'tally'>

export const codeGuesses = ({ pool, clock, handle, tally }: Deps) => {
  const episodeNow = async (): Promise<Episode | null> => {
    const { rows } = await pool.query<Episode>(
      'select risk_event_id as "riskEventId", seen_at as "seenAt", told as reported from work.code_guessing',
    )
    return rows[0] ?? null
  }

  const peopleThere = async (): Promise<number> => {
    const { rows } = await pool.query<{ n: number }>(peopleCount.text, [...peopleCount.values])
    return rows[0]?.n ?? 0
  }

  const counts = async () => {
    const { rows } = await pool.query<{ wrongCodes: number; addresses: number; networks: number }>(
      `select count(*)::int as "wrongCodes", count(distinct subject)::int as addresses,
         count(distinct network)::int as networks
       from work.stranger_code where at > $1`,
      [clock.in(-GUESSING_WINDOW_SECONDS)],
    )
    return rows[0] ?? { wrongCodes: 0, addresses: 0, networks: 0 }
  }

  const report = async (riskEventId: string, figures: Awaited<ReturnType<typeof counts>>): Promise<void> => {
    const risk: DetectedRisk = {
      riskEventId,
      riskType: 'code_guessing',
      level: 'high',
      userId: null,
      ...{ signInId: null, sessionId: null, ip: null, location: null },
      detail: { ...figures, windowSeconds: GUESSING_WINDOW_SECONDS },
    }
    await handle(
      riskDecider,
      riskStream(riskEventId),
      { type: 'detect', risk },
      {
        actorId: null,
        actorType: 'system',
        credential: null,
        ip: null,
        correlationId: newId('auditEvent'),
      },
    )
    tally.count('code_guessing')
    await pool.query('update work.code_guessing set told = true where risk_event_id = $1', [riskEventId])
  }

  return {
    /** @param network keyed digest */
    stateFor: async (network: string): Promise<StrangerState> => {
      const nth = (budget: string): string =>
        `(select at from work.stranger_code where network = $1 and at > $2 order by at desc offset ${budget} - 1 limit 1)`
      const { rows } = await pool.query<{ alarm: boolean; usual: Instant | null; slowed: Instant | null }>(
        `select exists (select from work.code_guessing) as alarm, ${nth('$3::int')} as usual, ${nth('$4::int')} as slowed`,
        [network, clock.in(-NETWORK_BUDGET_SECONDS), networkBudget(false), networkBudget(true)],
      )
      const { alarm, usual, slowed } = rows[0] ?? { alarm: false, usual: null, slowed: null }
      const oldest = alarm ? slowed : usual
      return {
        alarm,
        networkRefusedUntil: oldest === null ? null : secondsAfter(oldest, NETWORK_BUDGET_SECONDS),
      }
    },

    /** Records a wrong code. Both parameters are keyed digests, or ids. */
    note: async (network: string, subject: string): Promise<void> => {
      await pool.query('insert into work.stranger_code (network, subject, at) values ($1, $2, $3)', [
        network,
        subject,
        clock.now(),
      ])
    },

    /** Raises the alarm, once per episode across instances, and ends it. */
    watch: async (): Promise<void> => {
      const [figures, episode, people] = await Promise.all([counts(), episodeNow(), peopleThere()])
      const now = clock.now()
      if (isGuessing(figures, people, episode !== null)) {
        const riskEventId = episode?.riskEventId ?? newId('riskEvent')
        const { rowCount } = await pool.query(
          `insert into work.code_guessing (risk_event_id, seen_at) values ($1, $2)
           on conflict (only_one) do update set seen_at = excluded.seen_at
           where work.code_guessing.risk_event_id = $1`,
          [riskEventId, now],
        )
        if (rowCount === 1 && episode?.reported !== true) await report(riskEventId, figures)
      } else if (episode !== null && !episode.reported) await report(episode.riskEventId, figures)
      else if (episode !== null && secondsAfter(episode.seenAt, QUIET_SECONDS) <= now)
        await pool.query('delete from work.code_guessing where risk_event_id = $1', [episode.riskEventId])
    },

    /** For the metrics. */
    figures: async (): Promise<{ readonly alarm: boolean; readonly recent: number }> => {
      const [figures, episode] = await Promise.all([counts(), episodeNow()])
      return { alarm: episode !== null, recent: figures.wrongCodes }
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.stranger_code where at <= $1', [clock.in(-NETWORK_BUDGET_SECONDS)])
    },
  }
}
