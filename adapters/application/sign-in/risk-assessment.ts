import {
  detectRisks,
  FAILURES_WINDOW_SECONDS,
  highestLevel,
  type SignInRisk,
} from '../../../domain/risk/detect.ts'
import { secondsAfter } from '../../../domain/time.ts'
import { signInHistory } from '../../../read-models/queries/sign-in-history.ts'
import type { Services } from '../services/services.ts'

/** What is known about a sign-in before it is decided. */
interface SignInFacts {
  readonly userId: string
  readonly location: string | null
  readonly deviceIsNew: boolean
  readonly ip: string
}

interface RiskAssessment {
  readonly level: 'none' | SignInRisk['level']
  readonly risks: readonly SignInRisk[]
}

/** Assesses the risk of an authenticated user's sign-in, before it is decided, with one query. */
export const riskAssessment =
  ({ pool, clock, configuration }: Pick<Services, 'pool' | 'clock' | 'configuration'>) =>
  async ({ userId, location, deviceIsNew, ip }: SignInFacts): Promise<RiskAssessment> => {
    const now = clock.now()
    const history = await signInHistory(pool, userId, secondsAfter(now, -FAILURES_WINDOW_SECONDS))
    const { zonesAt } = await configuration.fresh()
    const isAnonymized = zonesAt(ip).some(({ anonymizers }) => anonymizers)
    const risks = detectRisks({ at: Date.parse(now), location, deviceIsNew, isAnonymized }, history)
    return { level: highestLevel(risks), risks }
  }
