import { brandingDecider, brandingStream, type BrandingCommand } from '../../../domain/branding/decider.ts'
import type { LogoType } from '../../../domain/logo.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { safeLogo } from './safe-logo.ts'

export const brandingCommands = ({ handle }: Pick<Services, 'handle'>) => {
  const send = (command: BrandingCommand, actor: Actor) =>
    handle(brandingDecider, brandingStream, command, actor)
  return {
    /** @throws DomainError as `safeLogo` does */
    setLogo: (mediaType: LogoType, bytes: Buffer, actor: Actor) =>
      send({ type: 'set_logo', logo: safeLogo(mediaType, bytes) }, actor),
    deleteLogo: (actor: Actor) => send({ type: 'delete_logo' }, actor),
    /** @throws DomainError ERR_INVALID */
    setAccentColor: (accentColor: string | null, actor: Actor) =>
      send({ type: 'update', accentColor }, actor),
  }
}
