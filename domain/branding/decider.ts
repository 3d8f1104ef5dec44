import { isColor } from './accent.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { isSameLogo, type Logo, type LogoVersion } from '../logo.ts'
import type { BrandingEvent } from './events.ts'

export interface BrandingState {
  readonly logo: LogoVersion | null
  readonly accentColor: string | null
}

export type BrandingCommand =
  | { type: 'set_logo'; logo: Logo }
  | { type: 'delete_logo' }
  | { type: 'update'; accentColor: string | null }

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
  return isSameLogo(logo, command.logo)
    ? accept()
    : accept({ type: 'branding.logo_updated', data: command.logo })
}

export const brandingDecider: Decider<BrandingState, BrandingCommand, BrandingEvent> = {
  initial,
  evolve,
  decide,
}

export const brandingStream = 'branding'
