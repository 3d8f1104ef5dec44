/** Creates the email of a queue entry, from the user's data at the time of sending. */
import { filledIn, type MessageValues } from '../../../domain/lifecycle-rule/message.ts'
import { isPlaceholderAddress } from '../../../domain/user/placeholder.ts'
import { findAccessRequest } from '../../../read-models/queries/access-requests.ts'
import { countItemsToDecide, findAccessReview } from '../../../read-models/queries/access-reviews.ts'
import { recipientOf, type Recipient } from '../../../read-models/queries/mail.ts'
import { findLifecycleRule } from '../../../read-models/queries/lifecycle-rules.ts'
import { findSignIn } from '../../../read-models/queries/sign-ins.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../application/services/services.ts'
import { mailedToken } from '../../application/commands/users.ts'
import type { MagicLinks } from '../../application/sign-in/magic-links.ts'
import { addressConfirmations, addressHash } from '../../application/sign-in/verify-address.ts'
import { languageOf } from '../../kernel/language.ts'
import { isUnreadableAddress } from '../../../domain/user/unreadable.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import {
  accessRequestDecided,
  accessReviewOpened,
  addressChanged,
  approvalRequested,
  breakGlassUsed,
  invitation,
  lifecycleMessage,
  lifecycleRulePaused,
  lockedOut,
  magicLink,
  methodAdded,
  methodRemoved,
  methodsReset,
  newSignIn,
  recoveryCodesGenerated,
  recoveryCodeUsed,
  verification,
  type Reader,
} from './contents.ts'
import { renderEmail, type Content } from './render-email.ts'
import { senderOf } from './sender.ts'
import type { ClaimedEmail } from '../../engines/postgres/mail-queue.ts'
import type { Addressed } from './smtp.ts'

/** Associated data of an encrypted address: it can be decrypted for this email only. */
export const formerAddressPlace = (cause: string): string => `mail|${cause}`

interface Draft {
  readonly content: Content
  /** The recipient's address; default: the user's own */
  readonly to?: string
}

export const emailDrafts = (
  services: Pick<Services, 'pool' | 'vault' | 'clock' | 'configuration' | 'publicUrl'>,
  links: Pick<MagicLinks, 'tokenToSend'>,
) => {
  const { pool, vault, clock, configuration, publicUrl } = services
  const confirmations = addressConfirmations(services)

  /** Returns the current link if it belongs to this email; derives its token again. */
  const enrollment = ({ userId, link }: Recipient, tokenHash: string) => {
    if (link?.tokenHash !== tokenHash || link.expiresAt <= clock.now()) return null
    const token = mailedToken(vault, userId, tokenHash)
    if (hashSecret(token) !== link.mailedTokenHash) return null
    return { url: `${publicUrl}/enroll/${token}`, expiresAt: link.expiresAt }
  }

  const formerAddress = async (userId: string, sealed: string, cause: string): Promise<string | null> => {
    await vault.ensureLoaded([userId])
    if (vault.personKeyState(userId) !== 'present') return null
    try {
      return vault.openFor(userId, sealed, formerAddressPlace(cause))
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }

  /** What the placeholders of a rule's email stand for; null if the user was erased. */
  const valuesAbout = async (userId: string, organization: string): Promise<MessageValues | null> => {
    const user = await findUser(pool, userId, clock.now())
    if (user === null || isUnreadableAddress(user.email)) return null
    const manager = user.managerId === null ? null : await findUser(pool, user.managerId, clock.now())
    return {
      'user.name': user.name,
      'user.email': user.email,
      'user.department': user.department ?? '',
      'user.title': user.title ?? '',
      'user.startDate': user.startDate ?? '',
      'user.endDate': user.endDate ?? '',
      'manager.name': manager?.name ?? '',
      'organization.name': organization,
      'account.url': `${publicUrl}/account`,
    }
  }

  /** Returns null for an email that is no longer needed. */
  const draft = async (
    { cause, subject, at }: ClaimedEmail,
    person: Recipient,
    reader: Reader,
  ): Promise<Draft | null> => {
    // Users who have not enrolled have nothing to be warned about. They get only the invitation and what rules say.
    const isForNewUsers = subject.kind === 'invitation' || subject.kind === 'lifecycle_message'
    if (!person.enrolled && !isForNewUsers) return null
    switch (subject.kind) {
      case 'invitation': {
        const link = person.status === 'invited' ? enrollment(person, subject.tokenHash) : null
        return link === null ? null : { content: invitation(reader, link) }
      }
      case 'methods_reset': {
        // A newer link has its own email with the same text.
        if (person.link !== null && person.link.tokenHash !== subject.tokenHash) return null
        return { content: methodsReset(reader, at, enrollment(person, subject.tokenHash)) }
      }
      case 'magic_link': {
        const link = await links.tokenToSend(cause, person)
        if (link === null || person.status !== 'active') return null
        const url = `${publicUrl}/magic-link/${link.token}`
        return { content: magicLink(reader, { url, minutes: link.minutes }) }
      }
      case 'verify_address': {
        if (person.emailVerified || addressHash(vault, person.email) !== subject.address) return null
        // It was requested before the user was granted roles, possibly by another user who could set the address.
        if (person.raisedAt !== null && person.raisedAt >= at) return null
        const { token, expiresAt } = confirmations.issue(person)
        return { content: verification(reader, { url: `${publicUrl}/verify-email/${token}`, expiresAt }) }
      }
      case 'address_changed': {
        const to = await formerAddress(person.userId, subject.sealedAddress, cause)
        return to === null ? null : { content: addressChanged(reader, at), to }
      }
      case 'method_added':
        return { content: methodAdded(reader, subject.method, at) }
      case 'method_removed':
        return { content: methodRemoved(reader, at) }
      case 'recovery_codes_generated':
        return { content: recoveryCodesGenerated(reader, at) }
      case 'recovery_code_used':
        return { content: recoveryCodeUsed(reader, at) }
      case 'locked_out':
        return { content: lockedOut(reader, at, subject.until) }
      case 'new_sign_in': {
        const signIn = await findSignIn(pool, subject.signInId)
        return signIn === null ? null : { content: newSignIn(reader, signIn) }
      }
      case 'break_glass_used': {
        const signIn = await findSignIn(pool, subject.signInId)
        return signIn === null ? null : { content: breakGlassUsed(reader, signIn) }
      }
      case 'approval_requested':
      case 'approval_reminder': {
        const request = await findAccessRequest(pool, subject.requestId)
        const isAsked = request?.eligibleApprovers.some(({ id }) => id === person.userId) ?? false
        if (request === null || !isAsked) return null
        return { content: approvalRequested(reader, request, subject.kind === 'approval_reminder') }
      }
      case 'access_review_opened': {
        const review = await findAccessReview(pool, subject.reviewId)
        if (review?.status !== 'active') return null
        const count = await countItemsToDecide(pool, subject.reviewId, person.userId)
        return count === 0 ? null : { content: accessReviewOpened(reader, review, count) }
      }
      case 'access_request_decided': {
        const request = await findAccessRequest(pool, subject.requestId)
        return request === null ? null : { content: accessRequestDecided(reader, request) }
      }
      case 'lifecycle_message': {
        const values = await valuesAbout(subject.aboutUserId, reader.organization)
        if (values === null) return null
        const written = { subject: filledIn(subject.title, values), text: filledIn(subject.text, values) }
        return { content: lifecycleMessage(reader, written) }
      }
      case 'lifecycle_rule_paused': {
        const rule = await findLifecycleRule(pool, subject.ruleId)
        if (rule?.status !== 'paused_by_guard') return null
        const users = rule.pausedUsers ?? 0
        return { content: lifecycleRulePaused(reader, { ...rule, users, limit: rule.maxPerRun }) }
      }
    }
  }

  /** @returns null for an email that is no longer needed */
  return async (queued: ClaimedEmail): Promise<Addressed | null> => {
    const person = await recipientOf(pool, queued.userId)
    if (person === null || isUnreadableAddress(person.email)) return null
    if (isPlaceholderAddress(person.email)) return null
    const language = languageOf(person.locale) ?? 'en'
    const sender = senderOf(await configuration.fresh(), publicUrl, language)
    const { organization } = sender
    const drafted = await draft(queued, person, { name: person.name, organization, publicUrl, language })
    if (drafted === null || (drafted.to !== undefined && isPlaceholderAddress(drafted.to))) return null
    return {
      ...renderEmail(drafted.content, sender),
      to: { name: person.name, address: drafted.to ?? person.email },
      id: `${queued.cause}.${queued.subject.kind}`,
    }
  }
}
