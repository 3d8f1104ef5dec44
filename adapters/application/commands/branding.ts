import { createHash } from 'node:crypto'
import {
  brandingDecider,
  brandingStream,
  isRasterImage,
  MAX_LOGO_BYTES,
  type BrandingCommand,
} from '../../../domain/branding/decider.ts'
import type { LogoType } from '../../../domain/branding/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { safeSvg } from './safe-svg.ts'

/** @throws DomainError ERR_INVALID, ERR_TOO_LARGE */
const safeImage = (mediaType: LogoType, bytes: Buffer): Buffer => {
  if (mediaType !== 'image/svg+xml') {
    if (!isRasterImage(mediaType, bytes))
      throw new DomainError('ERR_INVALID', `body: expected an image in the format ${mediaType}`)
    return bytes
  }
  const safe = Buffer.from(safeSvg(bytes.toString('utf8')))
  if (safe.length > MAX_LOGO_BYTES) throw new DomainError('ERR_TOO_LARGE')
  return safe
}

export const brandingCommands = ({ handle }: Pick<Services, 'handle'>) => {
  const send = (command: BrandingCommand, actor: Actor) =>
    handle(brandingDecider, brandingStream, command, actor)
  return {
    /** @throws DomainError ERR_INVALID for anything but an image of that type, ERR_TOO_LARGE */
    setLogo: (mediaType: LogoType, bytes: Buffer, actor: Actor) => {
      const image = safeImage(mediaType, bytes)
      const digest = createHash('sha256').update(image).digest('base64url')
      return send({ type: 'set_logo', logo: { mediaType, digest, content: image.toString('base64') } }, actor)
    },
    deleteLogo: (actor: Actor) => send({ type: 'delete_logo' }, actor),
    /** @throws DomainError ERR_INVALID */
    setAccentColor: (accentColor: string | null, actor: Actor) =>
      send({ type: 'update', accentColor }, actor),
  }
}
