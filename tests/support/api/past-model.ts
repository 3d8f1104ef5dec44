/** Histories of access, and the queries about them. */
import { randomUUID } from 'node:crypto'
import fc, { type Arbitrary } from 'fast-check'
import { applicationCommands } from '../../../adapters/application/commands/applications.ts'
import { groupCommands } from '../../../adapters/application/commands/groups.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { groupStream } from '../../../domain/group/decider.ts'
import { membershipStream } from '../../../domain/membership/decider.ts'
import type { Instant } from '../../../domain/time.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

export interface Cast {
  readonly people: string[]
  readonly groups: string[]
  readonly applications: string[]
}

/**
 * An action on a user, group or application. `skew` is the clock difference in milliseconds of the instance that
 * records it, bypassing the rules.
 */
export interface Step {
  readonly what: number
  readonly person: number
  readonly group: number
  readonly application: number
  readonly skew: number
}

export const pastHistories = (minLength: number, maxLength: number): Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({
      what: fc.nat(17),
      person: fc.nat(2),
      group: fc.constantFrom(0, 0, 1),
      application: fc.constantFrom(0, 0, 1),
      skew: fc.integer({ min: -3000, max: 3000 }),
    }),
    { minLength, maxLength, size: 'max' },
  )

/** Initial steps, so that users have access to lose. */
export const beginning: readonly Step[] = [
  { what: 1, person: 0, group: 0, application: 0, skew: 0 },
  { what: 0, person: 0, group: 0, application: 0, skew: 0 },
  { what: 3, person: 1, group: 0, application: 0, skew: 0 },
]

let made = 0

/** Creates three users, two groups and two applications without any relation. */
export const cast = async (service: TestService): Promise<Cast> => {
  const { services } = service.core
  const n = String(++made)
  const people = [
    (await service.person({ name: `Ada ${n}`, department: 'A' })).userId,
    (await service.person({ name: `Bob ${n}`, department: 'B' })).userId,
    (
      await userCommands(services).invite(
        { profile: { email: `eve${n}@example.com`, name: `Eve ${n}`, department: 'A' }, source: 'local' },
        system,
      )
    ).userId,
  ]
  const groups: string[] = []
  for (const name of [`Group one ${n}`, `group two ${n}`])
    groups.push((await groupCommands(services).create({ name, source: 'local' }, system)).groupId)
  const applications: string[] = []
  for (const name of [`Application one ${n}`, `application two ${n}`])
    applications.push(
      (
        await applicationCommands(services).create(
          { applicationType: 'web', settings: { name, redirectUris: ['https://a.example/'] } },
          system,
        )
      ).applicationId,
    )
  return { people, groups, applications }
}

const shifted = (instant: Instant, milliseconds: number): Instant =>
  `${new Date(Date.parse(instant) + milliseconds).toISOString().slice(0, 23)}${instant.slice(23)}`

/** Plays a history, which includes rejected commands. */
export const play = async (
  service: TestService,
  { people, groups, applications }: Cast,
  steps: readonly Step[],
  as: TestPerson,
): Promise<void> => {
  const { services, eventLog } = service.core
  const users = userCommands(services)
  const teams = groupCommands(services)
  const programs = applicationCommands(services)
  const actor = { ...system, actorId: as.userId, actorType: 'user' as const }

  const record = (stream: string, type: string, data: Record<string, string>, skew: number) =>
    eventLog.append(stream, 'any', [
      {
        id: randomUUID(),
        type,
        data:
          type === 'group.updated'
            ? { groupId: data['groupId'], changes: [{ field: 'name', from: '', to: data['name'] }] }
            : data,
        metadata: {
          schema: 1,
          time: shifted(services.clock.now(), skew),
          actorId: as.userId,
          actorType: 'user',
          credential: null,
          ip: null,
          correlationId: randomUUID(),
          causationId: null,
        },
      },
    ])

  for (const [index, { what, skew, ...indexes }] of steps.entries()) {
    const person = people[indexes.person] ?? ''
    const group = groups[indexes.group] ?? ''
    const application = applications[indexes.application] ?? ''
    const label = `${String(++made)}.${String(index)}`
    const deeds: readonly (() => Promise<unknown>)[] = [
      () => teams.addMember(group, person, undefined, actor),
      () => programs.assignGroup(application, group, actor),
      () => teams.addMember(group, person, services.clock.in(Math.abs(skew) / 20_000), actor),
      () => teams.addMember(group, person, services.clock.in(60), actor),
      () => teams.removeMember(group, person, actor),
      () => programs.unassignGroup(application, group, actor),
      () => users.suspend(person, 'left', 'system', actor),
      () => users.reactivate(person, 'system', actor),
      () => users.update(person, { name: `Name ${label}` }, 'system', actor),
      () => users.update(person, { department: skew > 0 ? 'A' : 'B' }, 'system', actor),
      () => teams.update(group, { name: `Team ${label}` }, undefined, actor),
      () =>
        teams.update(
          group,
          {},
          { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value: 'A' }] },
          actor,
        ),
      () => (skew > 0 ? programs.disable(application, actor) : programs.enable(application, actor)),
      () => programs.update(application, { settings: { name: `Program ${label}` } }, actor),
      async () => {
        await users.delete(person, 'system', actor)
        if (skew > 0) await users.erase(person, actor)
      },
      () => programs.setGroups(application, skew > 0 ? groups : [], actor),
      () => record(groupStream(group), 'group.updated', { groupId: group, name: `Raw ${label}` }, skew),
      () =>
        record(
          membershipStream(group, person),
          skew > 0 ? 'membership.granted' : 'membership.withdrawn',
          { groupId: group, userId: person, via: 'assigned', ...(skew > 0 ? {} : { reason: 'removed' }) },
          skew,
        ),
    ]
    await deeds[what]?.().catch(() => undefined)
  }
  // Events that bypass the rules are recorded without waiting.
  while (!(await service.core.caughtUp()));
}
