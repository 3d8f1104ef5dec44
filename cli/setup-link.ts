import { userCommands } from '../adapters/commands/users.ts'
import { newId } from '../adapters/ids.ts'
import { countOtherGlobalAdmins, invitedGlobalAdmins } from '../read-models/queries/administrators.ts'
import type { Actor } from '../adapters/event-log/handle.ts'
import type { Core } from './core.ts'

/** The service acting by itself. */
export const systemActor = (): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: newId('auditEvent'),
})

/**
 * The link with which the first administrator enrols: null once there is an active one. Invites somebody when nobody
 * is; otherwise the invited one gets a new link, and the old one dies.
 */
export const setupLink = ({ services, caughtUp }: Core): Promise<string | null> =>
  services.locks.alone('setup', async () => {
    // Who administers is asked of the read models, which may be behind what the log already holds.
    await caughtUp()
    if ((await countOtherGlobalAdmins(services.pool, '')) > 0) return null
    const users = userCommands(services)
    const [invited] = await invitedGlobalAdmins(services.pool)
    if (invited !== undefined)
      return (await users.inviteAgain(invited.id, 'system', systemActor(), false)).enrollUrl
    const host = new URL(services.publicUrl).hostname
    const { enrollUrl } = await users.invite(
      {
        profile: { email: `admin@${host}`, name: 'Administrator' },
        source: 'local',
        roles: ['global_admin'],
      },
      systemActor(),
      // The link is for whoever reads the terminal, and the address is a guess.
      false,
    )
    return enrollUrl
  })
