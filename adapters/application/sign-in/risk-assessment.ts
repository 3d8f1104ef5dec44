import { detectRisks, FAILURES_WINDOW_SECONDS } from '../../../domain/risk/detect.ts'
import type { RaisedRisk } from '../../../domain/sign-in/events.ts'
import { secondsAfter } from '../../../domain/time.ts'
import { signInHistory } from '../../../read-models/queries/sign-in-history.ts'
import { newId } from '../../kernel/ids.ts'
import type { Configuration } from '../services/configuration.ts'
import type { Services } from '../services/services.ts'

/** What is known about a sign-in before it is decided. */
interface SignInFacts {
  readonly userId: string
  readonly location: string | null
  readonly deviceIsNew: boolean
  readonly ip: string
}

/** The risk of a passkey whose signature counter went back. */
export const clonedCredential = (methodId: string): RaisedRisk => ({
  riskEventId: newId('riskEvent'),
  riskType: 'credential_cloned',
  level: 'high',
  detail: { methodId },
})

/** Assesses the risks of an authenticated user's sign-in, before it is decided, with one query. */
export const riskAssessment =
  ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) =>
  async (
    { userId, location, deviceIsNew, ip }: SignInFacts,
    { zonesAt }: Pick<Configuration, 'zonesAt'>,
  ): Promise<readonly RaisedRisk[]> => {
    const now = clock.now()
    const history = await signInHistory(pool, userId, secondsAfter(now, -FAILURES_WINDOW_SECONDS))
    const isAnonymized = zonesAt(ip).some(({ anonymizers }) => anonymizers)
    const risks = detectRisks({ at: Date.parse(now), location, deviceIsNew, isAnonymized }, history)
    return risks.map((risk) => ({ riskEventId: newId('riskEvent'), ...risk }))
  }
