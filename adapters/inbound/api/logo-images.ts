/** What the routes of logos have in common: uploads, and images that anyone may ask for as often as they like. */
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import {
  logoTypes,
  MAX_LOGO_BYTES,
  type Logo,
  type LogoType,
  type LogoVersion,
} from '../../../domain/logo.ts'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { fields } from '../http/route.ts'
import { printable } from '../http/schemas.ts'

/** For an address that changes with the content, and for any other */
export const LONG = 'public, max-age=31536000, immutable'
export const SHORT = 'public, max-age=300'

/** A logo opened by itself runs nothing and loads nothing; emails show it on other sites. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

export const logoUpload = { types: logoTypes, maxBytes: MAX_LOGO_BYTES }

export const UPLOAD_RULES =
  'PNG, JPEG, WebP or SVG of at most 256 KB. Of an SVG, only what draws is kept: scripts, styles, links and references to other files are dropped.'

export const logoQuery = fields({
  v: Type.Optional(printable(64, 'the version of the logo, as in its address')),
})

export const UploadedLogo = Type.Object({ logoUrl: Type.String() }, { title: 'Logo' })

/** @throws DomainError ERR_INVALID without an upload */
export const uploadedImage = ({
  upload,
}: {
  readonly upload?: { readonly type: string; readonly bytes: Buffer }
}): { readonly type: LogoType; readonly bytes: Buffer } => {
  if (upload === undefined) throw new DomainError('ERR_INVALID')
  return { type: upload.type as LogoType, bytes: upload.bytes }
}

interface Image extends LogoVersion {
  readonly content: Buffer
}

/**
 * Returns a function that responds with an image. It keeps the images used last in memory.
 * @param maxBytes of all images that are kept
 */
export const logoImages = (maxBytes: number) => {
  /** By digest */
  const kept = boundedCache<Image>(maxBytes, { sizeOf: ({ content }) => content.length })

  /**
   * @param current null if there is none
   * @param version in the address of the request
   * @throws DomainError ERR_NOT_FOUND
   */
  return async (
    current: LogoVersion | null | undefined,
    version: string | undefined,
    read: () => Promise<Logo | null>,
  ) => {
    if (current === null || current === undefined) throw new DomainError('ERR_NOT_FOUND')
    let image = kept.get(current.digest)
    if (image === undefined) {
      const logo = await read()
      if (logo === null) throw new DomainError('ERR_NOT_FOUND')
      image = { ...logo, content: Buffer.from(logo.content, 'base64') }
      kept.set(image.digest, image)
    }
    const { mediaType, content, digest } = image
    return {
      content: { type: mediaType, data: content },
      headers: { ...headers, 'Cache-Control': version === digest ? LONG : SHORT },
    }
  }
}
