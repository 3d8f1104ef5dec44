/** Creates users who have enrolled, are in groups and are signed in. */
import { randomUUID } from 'node:crypto'
import type { Services } from '../../adapters/application/services/services.ts'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import type { Actor } from '../../adapters/application/services/handle.ts'
import type { Role } from '../../domain/roles.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { hashSecret } from '../../adapters/engines/vault/hash.ts'
import { startDevSession } from '../../cli/server/dev-session.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'

/** Returns a method that nobody can sign in with. */
export const passkey = () =>
  ({
    methodId: newId('method'),
    methodType: 'passkey',
    name: 'Bench',
    credentialId: randomUUID(),
    publicKey: 'AA',
    signCount: 0,
    transports: [],
    aaguid: '00000000-0000-0000-0000-000000000000',
    backedUp: false,
  }) as const

export const enrolled = async (
  services: Services,
  email: string,
  name: string,
  actor: Actor,
  roles: readonly Role[] = [],
): Promise<string> => {
  const { userId, enrollUrl } = await userCommands(services).invite(
    { profile: { email, name }, source: 'local', roles },
    actor,
  )
  const command = {
    type: 'enroll',
    userId,
    tokenHash: hashSecret(enrollUrl.split('/').at(-1) ?? ''),
    now: services.clock.now(),
    emailed: false,
    method: passkey(),
  } as const
  await services.handle(userDecider, userStream(userId), command, actor)
  return userId
}

/**
 * Signs users in one after the other, because on a busy machine many at once would time out waiting for connections.
 * @returns `Cookie` headers
 */
export const signInPeople = async (
  services: Services,
  count: number,
  groupIds: readonly string[],
  actor: Actor,
): Promise<readonly string[]> => {
  const cookies: string[] = []
  for (let n = 0; n < count; n++) {
    const email = `person${String(n)}@example.com`
    const userId = await enrolled(services, email, `Person ${String(n)}`, actor)
    for (const groupId of groupIds) await groupCommands(services).addMember(groupId, userId, undefined, actor)
    cookies.push(await startDevSession(services, email))
  }
  return cookies
}
