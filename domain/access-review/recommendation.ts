import type { Instant } from '../time.ts'
import type { Recommendation, RecommendationReason } from './events.ts'

/** What is known about the use of an access. */
export interface Use {
  readonly isActive: boolean
  readonly since: Instant
  readonly lastUsedAt: Instant | null
}

/**
 * What a review recommends.
 * @param unusedSince access that was last used before is recommended for removal
 */
export const recommend = (
  { isActive, since, lastUsedAt }: Use,
  unusedSince: Instant,
): { readonly recommendation: Recommendation; readonly reason: RecommendationReason } => {
  if (!isActive) return { recommendation: 'revoke', reason: 'user_not_active' }
  if (lastUsedAt !== null && lastUsedAt >= unusedSince)
    return { recommendation: 'approve', reason: 'recently_used' }
  return since >= unusedSince
    ? { recommendation: 'none', reason: 'recently_granted' }
    : { recommendation: 'revoke', reason: 'not_used' }
}
