/** The table of cases for ASG-03: ways to remove access, and what still works afterwards. */
import { accessPackageCommands } from '../../../adapters/application/commands/access-packages.ts'
import { endSession } from '../../../adapters/application/commands/session-end.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { groupDecider, groupStream } from '../../../domain/group/decider.ts'
import type { GroupRule } from '../../../domain/group/rule.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
} from '../../../domain/package-assignment/decider.ts'
import { listPackageAssignments } from '../../../read-models/queries/package-assignments.ts'
import type { OidcWorld, TestApplication } from '../oidc/oidc.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

/** Tokens of one grant, as an application stores them. */
export interface HeldTokens {
  readonly app: TestApplication
  /** The code that they were issued from */
  readonly spent: { readonly code: string; readonly verifier: string }
  accessToken: string
  refreshToken: string
}

/** A user of two applications, one with opaque tokens and one with JWTs. */
export interface Scene {
  readonly service: TestService
  readonly world: OidcWorld
  readonly person: TestPerson
  readonly apps: readonly TestApplication[]
  /** The group that both applications are assigned to, and the department of its member */
  readonly groupId: string
  readonly department: string
  /** The access package that grants the group, for members by package */
  readonly packageId: string
  /** The grants to check afterwards */
  readonly held: readonly HeldTokens[]
}

/** Expected responses of the endpoints. `client`: the application itself is rejected. */
export interface Expected {
  readonly authorize: 'code' | 'sign_in' | 'not_assigned' | 'no_application'
  /** An earlier code */
  readonly code: 'good' | 'invalid_grant' | 'client'
  readonly refresh: 'good' | 'invalid_grant' | 'client'
  readonly userinfo: 'good' | 'invalid_token'
  /** Introspection by the application itself */
  readonly introspection: 'active' | 'inactive' | 'client'
  /** Introspection of a JWT by the owner of the API */
  readonly byOwner: 'active' | 'inactive'
  /** Tokens of the same user from another session */
  readonly otherSession: 'good' | 'invalid_token'
  /** Tokens of another user in the same group */
  readonly otherPerson: 'good' | 'invalid_token'
}

export interface Withdrawal {
  readonly what: string
  /** How the user became a member of the group */
  readonly via: 'hand' | 'rule' | 'package'
  readonly change: (scene: Scene) => Promise<unknown>
  readonly expected: Expected
}

const nothing: Expected = {
  authorize: 'code',
  code: 'good',
  refresh: 'good',
  userinfo: 'good',
  introspection: 'active',
  byOwner: 'active',
  otherSession: 'good',
  otherPerson: 'good',
}

/** The tokens are invalid; the rest depends on the case. */
const grants: Expected = {
  ...nothing,
  refresh: 'invalid_grant',
  userinfo: 'invalid_token',
  introspection: 'inactive',
  byOwner: 'inactive',
}
const session: Expected = { ...grants, authorize: 'sign_in', code: 'invalid_grant' }
const person: Expected = { ...session, otherSession: 'invalid_token' }
const membership: Expected = { ...person, authorize: 'not_assigned' }
const assignment: Expected = { ...membership, otherPerson: 'invalid_token' }
const application: Expected = {
  ...assignment,
  authorize: 'no_application',
  code: 'client',
  refresh: 'client',
  introspection: 'client',
}

export const departmentRule = (value: string): GroupRule => ({
  match: 'all',
  conditions: [{ attribute: 'department', operator: 'eq', value }],
})

const ofEach = async (scene: Scene, change: (app: TestApplication) => Promise<unknown>): Promise<void> => {
  for (const app of scene.apps) await change(app)
}

const setRule = ({ service, groupId }: Scene, rule: GroupRule | null) =>
  service.core.services.handle(
    groupDecider,
    groupStream(groupId),
    { type: 'update', groupId, fields: {}, rule },
    system,
  )

const end = ({ service, person: { sessionId } }: Scene, reason: 'sign_out' | 'admin_revoked') =>
  endSession(service.core.services)(sessionId, reason, system)

const users = ({ service }: Scene) => userCommands(service.core.services)

/** Makes the membership expire, as if it had an expiry that has passed. */
const lapse = ({ service, groupId, person: { userId } }: Scene) => {
  const { handle, clock } = service.core.services
  return handle(
    membershipDecider,
    membershipStream(groupId, userId),
    { type: 'grant', groupId, userId, via: 'assigned', now: clock.in(-2), expiresAt: clock.in(-1) },
    system,
  )
}

const packages = ({ service }: Scene) => accessPackageCommands(service.core.services)

const assignmentOf = async ({ service, packageId, person: { userId } }: Scene): Promise<string> => {
  const { pool, clock } = service.core.services
  const [assignment] = await listPackageAssignments(pool, { packageId, userId }, clock.now(), 1)
  return assignment?.id ?? ''
}

/** Makes the assignment of the access package expire, as if it had an expiry that has passed. */
const lapsePackage = async (scene: Scene) => {
  const { handle, clock } = scene.service.core.services
  const { userId } = scene.person
  const assignmentId = await assignmentOf(scene)
  const subject = { userId, packageId: scene.packageId, assignmentId }
  return handle(
    packageAssignmentDecider,
    packageAssignmentsStream(userId),
    { type: 'extend', ...subject, now: clock.in(-2), expiresAt: clock.in(-1) },
    system,
  )
}

/** Makes the session expire. */
const expireSession = ({ service, person: { sessionId } }: Scene) =>
  service.core.services.pool.query(
    `update sessions set expires_at = now() - interval '1 second' where id = $1`,
    [sessionId],
  )

const reuse = async ({ world, held }: Scene): Promise<void> => {
  await Promise.all(
    held.map(async (each) => {
      const used = each.refreshToken
      const { body } = await world.refresh(each.app, used)
      each.accessToken = body.access_token
      each.refreshToken = body.refresh_token
      await world.refresh(each.app, used)
    }),
  )
}

export const withdrawals: readonly Withdrawal[] = [
  { what: 'nothing', via: 'hand', change: () => Promise.resolve(), expected: nothing },
  {
    what: 'the user is suspended',
    via: 'hand',
    change: (scene) => users(scene).suspend(scene.person.userId, undefined, 'system', system),
    expected: person,
  },
  {
    what: 'the user is deleted',
    via: 'hand',
    change: (scene) => users(scene).delete(scene.person.userId, 'system', system),
    expected: person,
  },
  {
    what: 'their methods are reset',
    via: 'hand',
    change: (scene) => users(scene).resetMethods(scene.person.userId, 'system', system),
    expected: person,
  },
  {
    what: 'their sessions are revoked',
    via: 'hand',
    change: (scene) => users(scene).revokeSessions(scene.person.userId, 'system', system),
    expected: person,
  },
  {
    what: 'the session is ended by sign-out',
    via: 'hand',
    change: (scene) => end(scene, 'sign_out'),
    expected: session,
  },
  {
    what: 'the session is ended by an administrator',
    via: 'hand',
    change: (scene) => end(scene, 'admin_revoked'),
    expected: session,
  },
  {
    what: 'the session expires, which offline_access survives',
    via: 'hand',
    change: expireSession,
    expected: { ...nothing, authorize: 'sign_in' },
  },
  {
    what: 'the user leaves the group',
    via: 'hand',
    change: ({ world, groupId, person: { userId } }) => world.leave(groupId, userId),
    expected: membership,
  },
  {
    what: 'their membership expires',
    via: 'hand',
    change: lapse,
    expected: membership,
  },
  {
    what: 'their access package is taken away',
    via: 'package',
    change: async (scene) => packages(scene).end(scene.packageId, await assignmentOf(scene), system),
    expected: membership,
  },
  {
    what: 'their access package expires',
    via: 'package',
    change: lapsePackage,
    expected: membership,
  },
  {
    what: 'the access package no longer has the group',
    via: 'package',
    change: async (scene) => {
      const other = await scene.world.group()
      const grants = [{ type: 'group', groupId: other }]
      return packages(scene).update(scene.packageId, { grants }, system)
    },
    expected: assignment,
  },
  {
    what: "the group's rule is changed",
    via: 'rule',
    change: (scene) => setRule(scene, departmentRule(`not ${scene.department}`)),
    expected: assignment,
  },
  {
    what: "the group's rule is removed",
    via: 'rule',
    change: (scene) => setRule(scene, null),
    expected: assignment,
  },
  {
    what: 'the user no longer matches the rule',
    via: 'rule',
    change: (scene) =>
      users(scene).update(scene.person.userId, { department: 'Elsewhere' }, 'system', system),
    expected: membership,
  },
  {
    what: 'the group is unassigned from the application',
    via: 'hand',
    change: (scene) =>
      ofEach(scene, ({ applicationId }) =>
        scene.world.change({ type: 'unassign_group', applicationId, groupId: scene.groupId }),
      ),
    expected: assignment,
  },
  {
    what: 'the application is disabled',
    via: 'hand',
    change: (scene) =>
      ofEach(scene, ({ applicationId }) => scene.world.change({ type: 'disable', applicationId })),
    expected: application,
  },
  {
    what: 'the application is deleted',
    via: 'hand',
    change: (scene) =>
      ofEach(scene, ({ applicationId }) => scene.world.change({ type: 'delete', applicationId })),
    expected: application,
  },
  {
    what: 'the grant is revoked by its refresh token',
    via: 'hand',
    change: ({ world, held }) =>
      Promise.all(held.map(({ app, refreshToken }) => world.revoke(app, refreshToken))),
    expected: grants,
  },
  {
    what: 'the grant is revoked by its access token',
    via: 'hand',
    change: ({ world, held }) =>
      Promise.all(held.map(({ app, accessToken }) => world.revoke(app, accessToken))),
    expected: grants,
  },
  {
    what: 'a code is used twice',
    via: 'hand',
    change: ({ world, held }) => Promise.all(held.map(({ app, spent }) => world.redeem(app, spent))),
    expected: grants,
  },
  { what: 'a refresh token is used twice', via: 'hand', change: reuse, expected: grants },
  {
    what: "the user revokes the application's grants",
    via: 'hand',
    change: (scene) =>
      ofEach(scene, ({ applicationId }) => scene.world.takeBack(applicationId, scene.person.userId)),
    expected: { ...grants, code: 'invalid_grant', otherSession: 'invalid_token' },
  },
]
