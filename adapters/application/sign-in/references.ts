/** The encrypted contents of codes and tokens: enough to check their validity at every use without a lookup table. */
import type { GrantedScopes } from '../../../domain/oidc/scopes.ts'
import type { Instant } from '../../../domain/time.ts'
import type { CheckSubject } from './token-check.ts'

/** Log position of the read models when the user authorized the application. */
export interface PersonReference extends GrantedScopes {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  readonly authTime: Instant
  /** Log position of the read models when the user authorized. */
  readonly authorizedAt: string
}

/** Whether the grant survives the expiry of its session. */
export const isOffline = ({ scopes }: Pick<GrantedScopes, 'scopes'>): boolean =>
  scopes.includes('offline_access')

/**
 * Returns the query for the token check.
 * @param offline of the grant: one of its tokens may have been requested with fewer scopes
 */
export const subjectOf = (
  reference: Pick<PersonReference, 'grantId' | 'applicationId' | 'userId' | 'sessionId' | 'authorizedAt'>,
  offline: boolean,
): CheckSubject => ({
  grantId: reference.grantId,
  applicationId: reference.applicationId,
  userId: reference.userId,
  sessionId: reference.sessionId,
  authorizedAt: reference.authorizedAt,
  offline,
})
