import { isColor } from './accent.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { BrandingEvent, Logo, LogoType } from './events.ts'

/** The maximum size of a logo in bytes. It is part of its event, which event stores limit to 1 MiB. */
export const MAX_LOGO_BYTES = 256 * 1024

export interface BrandingState {
  readonly logo: Pick<Logo, 'mediaType' | 'digest'> | null
  readonly accentColor: string | null
}

export type BrandingCommand =
  | { type: 'set_logo'; logo: Logo }
  | { type: 'delete_logo' }
  | { type: 'update'; accentColor: string | null }

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

const initial: BrandingState = { logo: null, accentColor: null }

const evolve = (state: BrandingState, { type, data }: BrandingEvent): BrandingState => {
  switch (type) {
    case 'branding.logo_updated':
      return { ...state, logo: { mediaType: data.mediaType, digest: data.digest } }
    case 'branding.logo_deleted':
      return { ...state, logo: null }
    case 'branding.updated':
      return { ...state, accentColor: data.accentColor }
  }
}

const decide = (
  command: BrandingCommand,
  { logo, accentColor: before }: BrandingState,
): Decision<BrandingEvent> => {
  if (command.type === 'update') {
    const accentColor = command.accentColor?.toLowerCase() ?? null
    if (accentColor !== null && !isColor(accentColor))
      return refuse('ERR_INVALID', 'accentColor: expected a colour such as #0f5f66', '/accentColor')
    return accentColor === before ? accept() : accept({ type: 'branding.updated', data: { accentColor } })
  }
  if (command.type === 'delete_logo')
    return logo === null ? accept() : accept({ type: 'branding.logo_deleted', data: { digest: logo.digest } })
  return logo?.digest === command.logo.digest && logo.mediaType === command.logo.mediaType
    ? accept()
    : accept({ type: 'branding.logo_updated', data: command.logo })
}

export const brandingDecider: Decider<BrandingState, BrandingCommand, BrandingEvent> = {
  initial,
  evolve,
  decide,
}

export const brandingStream = 'branding'
