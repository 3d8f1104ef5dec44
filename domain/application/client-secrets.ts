import { refuse } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { ApplicationEvent } from './events.ts'
import { isConfidential } from './grant-types.ts'
import type { ApplicationState, Secret } from './state.ts'

export interface NewSecret {
  readonly secretId: string
  readonly prefix: string
  readonly hash: string
  readonly expiresAt?: Instant
}

export const NO_SECRET = 'Single-page, native and command-line applications have no secret.'
const NO_SAML_SECRET = 'SAML applications have no secret.'

export const secretCreated = (
  applicationId: string,
  secret: NewSecret,
  rotation: boolean,
): ApplicationEvent => ({
  type: 'application.secret_created',
  data: { applicationId, ...secret, rotation },
})

export const secretProblem = (
  state: ApplicationState,
  secret: NewSecret,
  now: Instant,
): ReturnType<typeof refuse> | null => {
  if (state.protocol !== 'oidc') return refuse('ERR_CONFLICT', NO_SAML_SECRET)
  if (!isConfidential(state.applicationType)) return refuse('ERR_CONFLICT', NO_SECRET)
  if (secret.expiresAt !== undefined && secret.expiresAt <= now)
    return refuse('ERR_INVALID', 'expiresAt: expected a time in the future', '/expiresAt')
  return null
}

export const liveSecrets = ({ secrets }: ApplicationState, now: Instant): readonly Secret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)

/** The new secret works immediately. Of the others, the newest works until `oldExpiresAt`, if that is in the future. */
export const rotation = (
  applicationId: string,
  secret: NewSecret,
  live: readonly Secret[],
  { now, oldExpiresAt }: { readonly now: Instant; readonly oldExpiresAt: Instant },
): readonly ApplicationEvent[] => {
  // With a grace period the newest secret remains valid together with the new one; older ones end.
  const kept = oldExpiresAt > now ? live.slice(-1) : []
  const gone = live.filter((old) => !kept.includes(old))
  return [
    ...gone.map(({ secretId }): ApplicationEvent => ({
      type: 'application.secret_revoked',
      data: { applicationId, secretId },
    })),
    ...kept
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > oldExpiresAt)
      .map(({ secretId }): ApplicationEvent => ({
        type: 'application.secret_expiry_changed',
        data: { applicationId, secretId, expiresAt: oldExpiresAt },
      })),
    secretCreated(applicationId, secret, true),
  ]
}
