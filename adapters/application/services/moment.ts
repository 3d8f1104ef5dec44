import type { SessionMoment } from '../../../read-models/queries/session-force.ts'
import type { Services } from './services.ts'

/** Now, as the queries of sessions ask for it. */
export const sessionMoment = ({
  clock,
  development,
}: Pick<Services, 'clock' | 'development'>): SessionMoment => ({ now: clock.now(), development })
