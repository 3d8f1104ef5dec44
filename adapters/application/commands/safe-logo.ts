import { createHash } from 'node:crypto'
import { DomainError } from '../../../domain/errors.ts'
import { isRasterImage, MAX_LOGO_BYTES, type Logo, type LogoType } from '../../../domain/logo.ts'
import { safeSvg } from './safe-svg.ts'

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

/**
 * Returns the logo that an upload contains. Of an SVG, only what draws is kept.
 * @throws DomainError ERR_INVALID for anything but an image of that type, ERR_TOO_LARGE
 */
export const safeLogo = (mediaType: LogoType, bytes: Buffer): Logo => {
  const image = safeImage(mediaType, bytes)
  const digest = createHash('sha256').update(image).digest('base64url')
  return { mediaType, digest, content: image.toString('base64') }
}
