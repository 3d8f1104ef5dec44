import { randomUUID } from 'node:crypto'
import type { Clock } from '../../adapters/kernel/clock.ts'
import {
  EventLogUnavailable,
  type Append,
  type EventLog,
  type NewEvent,
} from '../../adapters/engines/event-log/event-log.ts'
import type { Serializer } from '../../adapters/engines/event-log/serializer.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { hashSecret } from '../../adapters/engines/vault/hash.ts'
import { rowOf, type DomainEvent } from '../../domain/catalogue.ts'
import type { Decider } from '../../domain/decider.ts'
import { groupDecider, type GroupCommand } from '../../domain/group/decider.ts'
import { groupStream } from '../../domain/group/decider.ts'
import { membershipDecider, membershipStream } from '../../domain/membership/decider.ts'
import { userDecider, userStream, type UserCommand } from '../../domain/user/decider.ts'
import { passkey } from './people.ts'

const CHUNK = 500
const ATTEMPTS = 20
const DEPARTMENTS = 40
/** Number of users who report to the same manager. */
const SPAN = 8

interface Streamed {
  readonly stream: string
  readonly events: readonly DomainEvent[]
}

/** Returns the events of a sequence of commands on a new stream. */
const decided = <State, Command, Event extends DomainEvent>(
  stream: string,
  decider: Decider<State, Command, Event>,
  commands: readonly Command[],
): Streamed => {
  let state = decider.initial
  const events = commands.flatMap((command) => {
    const decision = decider.decide(command, state)
    if ('refusal' in decision) throw new Error(`${stream}: ${decision.refusal.code}`)
    state = decision.events.reduce<State>((folded, event) => decider.evolve(folded, event), state)
    return decision.events
  })
  return { stream, events }
}

export const nameOfGroup = (n: number): string => `Group ${String(n)}`
export const userNameOf = (n: number): string => `user${String(n)}@directory.example`
export const externalIdOf = (n: number): string => `ext-${String(n)}`

const personCommands = (
  userId: string,
  n: number,
  managerId: string | undefined,
  enrolled: boolean,
  clock: Clock,
): readonly UserCommand[] => {
  const tokenHash = hashSecret(randomUUID())
  const invite: UserCommand = {
    type: 'invite',
    userId,
    source: 'scim',
    profile: {
      userName: userNameOf(n),
      email: `p${String(n)}@example.com`,
      name: `Given${String(n)} Family${String(n)}`,
      givenName: `Given${String(n)}`,
      familyName: `Family${String(n)}`,
      title: 'Clerk',
      department: `Department ${String(n % DEPARTMENTS)}`,
      locale: 'en-GB',
      externalId: externalIdOf(n),
      ...(managerId === undefined ? {} : { managerId }),
    },
    link: { tokenHash, mailedTokenHash: null, expiresAt: clock.in(86_400) },
  }
  if (!enrolled) return [invite]
  return [invite, { type: 'enroll', userId, tokenHash, now: clock.now(), method: passkey() }]
}

/**
 * Appends the events of a directory as if it had been provisioned over SCIM: decided by the deciders, and encrypted.
 * @param enrolled how many of the first users have a passkey; the others are invited
 * @returns ids of the users, in order
 */
export const appendDirectory = async (
  log: EventLog,
  serializer: Serializer,
  clock: Clock,
  { people, groups, enrolled }: { people: number; groups: number; enrolled: number },
): Promise<readonly string[]> => {
  const append = async (streams: readonly Streamed[]): Promise<void> => {
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
    const appends = new Map<string, NewEvent[]>()
    for (const { stream, ...event } of sealed) appends.set(stream, [...(appends.get(stream) ?? []), event])
    let waiting = [...appends].map(([stream, events]): Append => ({ stream, expected: 'no_stream', events }))
    // On a busy machine an append may time out; repeating it appends nothing twice.
    for (let attempt = 1; waiting.length > 0; attempt++) {
      const results = await log.appendMany(waiting)
      const failed = results.find((result) => result instanceof Error)
      if (failed !== undefined && (attempt === ATTEMPTS || !(failed instanceof EventLogUnavailable)))
        throw failed
      waiting = waiting.filter((_, at) => results[at] instanceof Error)
    }
  }

  const groupIds = Array.from({ length: groups }, () => newId('group'))
  for (let from = 0; from < groups; from += CHUNK)
    await append(
      groupIds.slice(from, from + CHUNK).map((groupId, at) => {
        const fields = { name: nameOfGroup(from + at), externalId: externalIdOf(from + at), ownerIds: [] }
        const create: GroupCommand = { type: 'create', groupId, fields, rule: null, source: 'scim' }
        return decided(groupStream(groupId), groupDecider, [create])
      }),
    )

  const ids = Array.from({ length: people }, () => newId('user'))
  for (let from = 0; from < people; from += CHUNK)
    await append(
      ids.slice(from, from + CHUNK).flatMap((userId, at) => {
        const n = from + at
        const groupId = groupIds[n % groups] ?? ''
        return [
          decided(
            userStream(userId),
            userDecider,
            personCommands(userId, n, ids[Math.floor(n / SPAN) - 1], n < enrolled, clock),
          ),
          decided(membershipStream(groupId, userId), membershipDecider, [
            { type: 'grant', groupId, userId, via: 'scim', now: clock.now() },
          ]),
        ]
      }),
    )
  return ids
}
