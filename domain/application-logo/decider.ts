import { accept, type Decider, type Decision } from '../decider.ts'
import { isSameLogo, type Logo, type LogoVersion } from '../logo.ts'
import type { ApplicationLogoEvent } from './events.ts'

export interface ApplicationLogoState {
  readonly logo: LogoVersion | null
}

export type ApplicationLogoCommand =
  | { type: 'set'; applicationId: string; logo: Logo }
  | { type: 'delete'; applicationId: string }

const initial: ApplicationLogoState = { logo: null }

const evolve = (_: ApplicationLogoState, { type, data }: ApplicationLogoEvent): ApplicationLogoState =>
  type === 'application_logo.updated'
    ? { logo: { mediaType: data.mediaType, digest: data.digest } }
    : { logo: null }

const decide = (
  command: ApplicationLogoCommand,
  { logo }: ApplicationLogoState,
): Decision<ApplicationLogoEvent> => {
  const { applicationId } = command
  if (command.type === 'set')
    return isSameLogo(logo, command.logo)
      ? accept()
      : accept({ type: 'application_logo.updated', data: { applicationId, ...command.logo } })
  return logo === null
    ? accept()
    : accept({ type: 'application_logo.deleted', data: { applicationId, digest: logo.digest } })
}

export const applicationLogoDecider: Decider<
  ApplicationLogoState,
  ApplicationLogoCommand,
  ApplicationLogoEvent
> = { initial, evolve, decide }

export const applicationLogoStream = (applicationId: string): string => `application_logo-${applicationId}`
