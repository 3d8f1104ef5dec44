import {
  applicationLogoDecider,
  applicationLogoStream,
  type ApplicationLogoCommand,
} from '../../../domain/application-logo/decider.ts'
import type { LogoType } from '../../../domain/logo.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { applicationUse, mustBeApplication } from './references.ts'
import { safeLogo } from './safe-logo.ts'

export const applicationLogoCommands = ({
  handle,
  locks,
  pool,
}: Pick<Services, 'handle' | 'locks' | 'pool'>) => {
  const send = (command: ApplicationLogoCommand, actor: Actor) =>
    locks.alone(applicationUse(command.applicationId), async () => {
      await mustBeApplication(pool, command.applicationId)
      return handle(applicationLogoDecider, applicationLogoStream(command.applicationId), command, actor)
    })
  return {
    /** @throws DomainError ERR_NOT_FOUND for an unknown application, and as `safeLogo` does */
    set: async (applicationId: string, mediaType: LogoType, bytes: Buffer, actor: Actor) => {
      const logo = safeLogo(mediaType, bytes)
      await send({ type: 'set', applicationId, logo }, actor)
      return logo
    },
    /** @throws DomainError ERR_NOT_FOUND for an unknown application */
    delete: (applicationId: string, actor: Actor) => send({ type: 'delete', applicationId }, actor),
  }
}
