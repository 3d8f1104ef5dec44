import type { SessionMoment } from '../../../read-models/queries/session-force.ts'
import type { Services } from './services.ts'

/** The current time, as the session queries need it. */
export const sessionMoment = ({
  clock,
  development,
}: Pick<Services, 'clock' | 'development'>): SessionMoment => ({ now: clock.now(), development })
