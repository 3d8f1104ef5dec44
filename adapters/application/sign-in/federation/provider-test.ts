/** Test sign-ins with identity providers: what a provider said and what would have come of it. Nobody is signed in. */
import type { AssertedIdentity, Claims } from '../../../../domain/identity-provider/claims.ts'
import type { LinkingDecision } from '../../../../domain/identity-provider/linking.ts'
import type { Id } from '../../../../domain/ids.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Services } from '../../services/services.ts'

export interface ProviderTestReport {
  readonly time: string
  /** Why the test ended before a decision: the response, or what it says of the user; null if it did not */
  readonly problem: string | null
  /** As received; null if there is no valid response */
  readonly claims: Claims | null
  /** What the mapping makes of the claims */
  readonly identity: AssertedIdentity | null
  /** What a sign-in would do with the user's account */
  readonly account:
    | (Pick<LinkingDecision, 'decision'> & {
        /** The error code of a refusal */
        readonly code: string | null
        /** The user here, if there is one already */
        readonly userId: string | null
      })
    | null
  /** Groups that the user would be in through the provider */
  readonly groupIds: readonly string[]
  /** Whether the sign-in would count as phishing-resistant */
  readonly isPhishingResistant: boolean
  /** When the user authenticated there, if the provider says so */
  readonly authTime: string | null
}

const LIFETIME_SECONDS = 900

export const providerTests = ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) => ({
  /** Keeps a report for a few minutes. */
  keep: async (
    identityProviderId: string,
    startedBy: string,
    report: ProviderTestReport,
  ): Promise<Id<'providerTest'>> => {
    const id = newId('providerTest')
    await pool.query(
      `insert into work.provider_test (id, identity_provider_id, started_by, report, expires_at)
       values ($1, $2, $3, $4, $5)`,
      [id, identityProviderId, startedBy, JSON.stringify(report), clock.in(LIFETIME_SECONDS)],
    )
    return id
  },

  /** Returns a report to whoever ran the test. */
  find: async (
    identityProviderId: string,
    id: string,
    startedBy: string,
  ): Promise<ProviderTestReport | null> => {
    const { rows } = await pool.query<{ report: ProviderTestReport }>(
      `select report from work.provider_test
       where id = $1 and identity_provider_id = $2 and started_by = $3 and expires_at > $4`,
      [id, identityProviderId, startedBy, clock.now()],
    )
    return rows[0]?.report ?? null
  },

  sweep: () => pool.query('delete from work.provider_test where expires_at <= $1', [clock.now()]),
})
