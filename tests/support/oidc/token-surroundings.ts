/** The steps of the token model that are about users, sessions and applications. */
import { endSession } from '../../../adapters/application/commands/session-end.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import type { TestApi } from './oidc.ts'
import type { ServicePair } from '../service/service-pair.ts'
import { system, type TestService } from '../service/service.ts'
import {
  grantedOn,
  type Model,
  type ModelApplication,
  type ModelPerson,
  type Step,
  type WithdrawalKind,
} from './token-model.ts'

/** `instance`: 0 or 1. */
export const surroundings = (pair: ServicePair, apis: readonly TestApi[]) => {
  const serviceAt = (instance: number): TestService => (instance === 0 ? pair.one : pair.two)

  const signIn = async (userId: string) => ({
    as: await pair.one.signIn(userId, ''),
    isEnded: false,
    isExpired: false,
  })

  const carryOut = (
    kind: WithdrawalKind,
    instance: number,
    { userId, session }: ModelPerson,
    { app: { applicationId, groupId } }: ModelApplication,
  ): Promise<unknown> => {
    const { services } = serviceAt(instance).core
    const at = pair.worlds[instance === 0 ? 0 : 1]
    const { sessionId } = session.as
    switch (kind) {
      case 'suspend':
        return userCommands(services).suspend(userId, undefined, 'system', system)
      case 'revoke_sessions':
        return userCommands(services).revokeSessions(userId, 'system', system)
      case 'end_session':
        return endSession(services)(sessionId, 'sign_out', system)
      case 'expire_session':
        return services.pool.query(
          `update sessions set expires_at = now() - interval '1 second' where id = $1`,
          [sessionId],
        )
      case 'leave':
        return at.leave(groupId, userId)
      case 'unassign':
        return at.change({ type: 'unassign_group', applicationId, groupId })
      case 'disable':
        return at.change({ type: 'disable', applicationId })
      case 'take_back':
        return at.takeBack(applicationId, userId)
    }
  }

  /** Restores, or changes, everything but tokens. */
  const restore = async (
    { people, applications }: Model,
    { kind, choice, instances }: Step,
    someone: ModelPerson,
    some: ModelApplication,
  ): Promise<boolean> => {
    const instance = instances & 1
    const at = pair.worlds[instance === 0 ? 0 : 1]
    switch (kind) {
      case 'reactivate': {
        const person = people.find(({ isActive }) => !isActive)
        if (person === undefined) return false
        await userCommands(serviceAt(instance).core.services).reactivate(person.userId, 'system', system)
        person.isActive = true
        return true
      }
      case 'sign_in': {
        const isOut = ({ isActive, session: { isEnded, isExpired } }: ModelPerson) =>
          isActive && (isEnded || isExpired)
        const person = people.find(isOut) ?? someone
        if (!person.isActive) return false
        person.session = await signIn(person.userId)
        person.sessions.push(person.session)
        return true
      }
      case 'join': {
        const { app, members } = applications.find((each) => !each.members.has(someone)) ?? some
        await at.join(app.groupId, someone.userId)
        members.add(someone)
        return true
      }
      case 'assign': {
        const application = applications.find(({ isAssigned }) => !isAssigned)
        if (application === undefined) return false
        const { applicationId, groupId } = application.app
        await at.change({ type: 'assign_group', applicationId, groupId })
        application.isAssigned = true
        return true
      }
      case 'enable': {
        const application = applications.find(({ isActive }) => !isActive)
        if (application === undefined) return false
        await at.change({ type: 'enable', applicationId: application.app.applicationId })
        application.isActive = true
        return true
      }
      case 'set_rotation': {
        const refreshTokenRotation = (choice & 1) === 1
        const { applicationId } = some.app
        await at.change({ type: 'update', applicationId, settings: { refreshTokenRotation } })
        some.rotates = refreshTokenRotation
        return true
      }
      case 'grant_apis':
        for (const [n, api] of apis.entries()) some.levels.set(api, ((choice >> (2 * n)) & 3) % 3)
        await at.grantApis(
          some.app,
          ...apis
            .map((api) => ({ ...api, scopes: grantedOn(some, api) }))
            .filter(({ scopes }) => scopes.length > 0),
        )
        return true
      default:
        throw new Error(kind)
    }
  }

  return { carryOut, restore }
}
