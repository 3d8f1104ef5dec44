import type { Services } from '../../adapters/application/services/services.ts'
import type { Append, EventLog, NewEvent } from '../../adapters/engines/event-log/event-log.ts'
import type { Serializer } from '../../adapters/engines/event-log/serializer.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { rowOf, type DomainEvent } from '../../domain/catalogue.ts'
import { membershipStream } from '../../domain/membership/decider.ts'
import { sessionStream } from '../../domain/session/decider.ts'
import { userStream } from '../../domain/user/decider.ts'
import { randomUUID } from 'node:crypto'

export interface HistoryOptions {
  /** Sign-ins of each user */
  readonly sessionsEach?: number
  /** Changes of each user's profile */
  readonly updatesEach?: number
}

/** A user's title after so many changes */
const titleAfter = (changes: number): string | null =>
  changes === 0 ? null : changes % 2 === 1 ? 'Manager' : `Director ${String(changes)}`

type Streamed = { readonly stream: string; readonly events: readonly DomainEvent[] }

/**
 * Returns the history of a user: invited, enrolled, updated several times, in two groups, signed in several times.
 */
const life = (
  n: number,
  groups: readonly string[],
  now: string,
  later: string,
  sessionsEach: number,
  updatesEach: number,
): readonly Streamed[] => {
  const userId = newId('user')
  const person: Streamed = {
    stream: userStream(userId),
    events: [
      {
        type: 'user.invited',
        data: {
          userId,
          source: 'local',
          profile: {
            email: `history${String(n)}@example.com`,
            name: `Person ${String(n)}`,
            department: 'Sales',
          },
        },
      },
      { type: 'user.enrolled', data: { userId } },
      ...Array.from({ length: updatesEach }, (_, at): DomainEvent => ({
        type: 'user.updated',
        data: {
          userId,
          changes: [{ field: 'title', from: titleAfter(at), to: titleAfter(at + 1) }],
        },
      })),
    ],
  }
  const memberships = [groups[n % groups.length] ?? '', groups[(n + 1) % groups.length] ?? ''].map(
    (groupId): Streamed => ({
      stream: membershipStream(groupId, userId),
      events: [{ type: 'membership.granted', data: { groupId, userId, via: 'assigned' } }],
    }),
  )
  const sessions = Array.from({ length: sessionsEach }, (): Streamed => {
    const sessionId = newId('session')
    return {
      stream: sessionStream(sessionId),
      events: [
        {
          type: 'session.started',
          data: {
            sessionId,
            userId,
            tokenHash: randomUUID(),
            methods: ['passkey'],
            methodIds: [],
            amr: ['hwk', 'user'],
            authTime: now,
            expiresAt: later,
            strength: 'phishing_resistant',
            ip: '192.0.2.1',
            userAgent: 'Mozilla/5.0',
            deviceId: null,
            location: null,
            risk: 'none',
          },
        },
      ],
    }
  })
  return [person, ...memberships, ...sessions]
}

/**
 * Appends a generated history of about this many events.
 * @returns their exact number
 */
export const generateHistory = async (
  log: EventLog,
  serializer: Serializer,
  { clock }: Pick<Services, 'clock'>,
  wanted: number,
  { sessionsEach = 5, updatesEach = 1 }: HistoryOptions = {},
): Promise<number> => {
  const groups = Array.from({ length: 50 }, () => newId('group'))
  let made = 0
  for (let n = 0; made < wanted;) {
    const streams: Streamed[] = groups.flatMap((groupId, index): readonly Streamed[] =>
      n === 0
        ? [
            {
              stream: `group-${groupId}`,
              events: [
                {
                  type: 'group.created',
                  data: {
                    groupId,
                    name: `Group ${String(index)}`,
                    rule: null,
                    ownerIds: [],
                    source: 'local',
                  },
                },
              ],
            },
          ]
        : [],
    )
    for (let i = 0; i < 100; i++)
      streams.push(...life(n++, groups, clock.now(), clock.in(43_200), sessionsEach, updatesEach))
    const flat = streams.flatMap(({ stream, events }) =>
      events.map((event) => ({
        id: randomUUID(),
        type: event.type,
        stream,
        data: event.data as unknown as NewEvent['data'],
        metadata: {
          schema: rowOf(event.type).schema,
          time: clock.now(),
          actorId: null,
          actorType: 'system',
          credential: null,
          ip: null,
          correlationId: 'bench',
          causationId: null,
        },
      })),
    )
    const sealed = (await serializer.seal(flat)) as readonly (NewEvent & { stream: string })[]
    const byStream = new Map<string, NewEvent[]>()
    for (const { stream, ...event } of sealed) byStream.set(stream, [...(byStream.get(stream) ?? []), event])
    const appends: Append[] = [...byStream].map(([stream, events]) => ({
      stream,
      expected: 'no_stream',
      events,
    }))
    for (const result of await log.appendMany(appends)) if (result instanceof Error) throw result
    made += flat.length
  }
  return made
}
