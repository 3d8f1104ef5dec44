/** The application that ships with the service: its own command-line client. */
import type { Actor } from '../services/handle.ts'
import { applicationCommands } from './applications.ts'
import type { Services } from '../services/services.ts'

export const CLI_CLIENT_ID = 'svc-cli'

/**
 * Registers the command-line client unless it is there. Its id follows from a fixed key, so that several instances
 * starting at once all name the same application, and the log takes it once.
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
        description: 'Signs people in at a terminal with "svc login"',
        visibleInPortal: false,
      },
      builtInAs: CLI_CLIENT_ID,
    },
    actor,
  )
  await configuration.fresh()
}
