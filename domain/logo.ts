/** Images that users see as a logo: of the organization, and of applications. */
export const logoTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const
export type LogoType = (typeof logoTypes)[number]

/** The maximum size of a logo in bytes. It is part of its event, which event stores limit to 1 MiB. */
export const MAX_LOGO_BYTES = 256 * 1024

/** The image that users see on pages and in emails. */
export interface Logo {
  readonly mediaType: LogoType
  /** SHA-256 of the image, base64url */
  readonly digest: string
  /** The image, base64 */
  readonly content: string
}

/** A logo without its image. */
export type LogoVersion = Pick<Logo, 'mediaType' | 'digest'>

/** Whether both are the same image of the same type. */
export const isSameLogo = (one: LogoVersion | null, other: LogoVersion): boolean =>
  one?.digest === other.digest && one.mediaType === other.mediaType

const startsWith = (bytes: Uint8Array, at: number, expected: readonly number[]): boolean =>
  expected.every((byte, n) => bytes[at + n] === byte)

const letters = (text: string): readonly number[] => [...text].map((letter) => letter.charCodeAt(0))

/** How files of each raster format start (PNG §5.2; JPEG: T.81 §B.1.1.3; WebP: RFC 9649 §2.4). */
const starts: Readonly<Record<Exclude<LogoType, 'image/svg+xml'>, (bytes: Uint8Array) => boolean>> = {
  'image/png': (bytes) => startsWith(bytes, 0, [0x89, ...letters('PNG\r\n\u001A\n')]),
  'image/jpeg': (bytes) => startsWith(bytes, 0, [0xff, 0xd8, 0xff]),
  'image/webp': (bytes) => startsWith(bytes, 0, letters('RIFF')) && startsWith(bytes, 8, letters('WEBP')),
}

/** Whether a file is what its media type says. An SVG is a document, which is read elsewhere. */
export const isRasterImage = (mediaType: Exclude<LogoType, 'image/svg+xml'>, bytes: Uint8Array): boolean =>
  starts[mediaType](bytes)
