/** The built-in application: the command-line client. */
import type { Actor } from '../services/handle.ts'
import { applicationCommands } from './applications.ts'
import type { Services } from '../services/services.ts'

export const CLI_CLIENT_ID = 'svc-cli'

/**
 * Creates the command-line client if it is missing. Its id is derived from a fixed key. Instances that start together
 * therefore create the same application, and the log accepts it only once.
 */
export const ensureCliApplication = async (
  services: Pick<
    Services,
    'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random' | 'configuration'
  >,
  correlationId: string,
): Promise<void> => {
  const { configuration } = services
  if ((await configuration.fresh()).applicationByClientId.has(CLI_CLIENT_ID)) return
  const actor: Actor = {
    actorId: null,
    actorType: 'system',
    credential: null,
    ip: null,
    correlationId,
    idempotencyKey: `built-in|${CLI_CLIENT_ID}`,
  }
  await applicationCommands(services).create(
    {
      applicationType: 'cli',
      settings: {
        name: 'Command line',
        description: 'Signs users in at a terminal with "svc login"',
        visibleInPortal: false,
      },
      builtInAs: CLI_CLIENT_ID,
    },
    actor,
  )
  await configuration.fresh()
}
