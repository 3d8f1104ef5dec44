/** What codes and tokens carry, sealed: enough to ask at every use whether it still holds, with nothing looked up. */
import type { GrantedScopes } from '../../../domain/oidc/scopes.ts'
import type { Instant } from '../../../domain/time.ts'
import type { CheckSubject } from './token-check.ts'

/** What a person let an application do. */
export interface PersonReference extends GrantedScopes {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  readonly authTime: Instant
  /** Place in the log that the read models showed when the person authorized. */
  readonly authorizedAt: string
}

/** Whether what was granted outlasts a session that runs out. */
export const isOffline = ({ scopes }: Pick<GrantedScopes, 'scopes'>): boolean =>
  scopes.includes('offline_access')

/** Whom to ask about. @param offline of the grant: one of its tokens may have been asked for with fewer scopes */
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
