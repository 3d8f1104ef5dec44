/** Queues emails for events that users must know about. Any instance sends them. */
import type pg from 'pg'
import { isEventType, type EventOf, type Recorded } from '../../../domain/catalogue.ts'
import { causesEmail, type EmailType } from '../../../domain/consequences.ts'
import type { RiskType } from '../../../domain/risk/events.ts'
import { isPlaceholderAddress } from '../../../domain/user/placeholder.ts'
import { activeGlobalAdmins, activeUserAdmins } from '../../../read-models/queries/administrators.ts'
import { reviewersWithItems } from '../../../read-models/queries/access-reviews.ts'
import { requestSubject } from '../../../read-models/queries/access-requests.ts'
import type { Services } from '../../application/services/services.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import { formerAddressPlace } from './drafts.ts'
import { FRESH_SECONDS, mailQueue, type NewEmail, type Subject } from '../../engines/postgres/mail-queue.ts'
import { addressHash } from '../../application/sign-in/verify-address.ts'

export const MAIL = 'mail'

/** Whether the user should say if a sign-in with this risk was theirs. */
const isUnusual = (type: RiskType): boolean =>
  type === 'new_device' || type === 'new_country' || type === 'impossible_travel'

/** The event types that this subscriber handles. */
export const mailTypes = (type: string): boolean => isEventType(type) && causesEmail(type)

type MailEvent = Recorded<EventOf<EmailType>>

type RequestEvent = Extract<MailEvent, { data: { requestId: string } }>

type ReviewEvent = Extract<MailEvent, { data: { reviewId: string } }>

type LifecycleEvent = Extract<MailEvent, { data: { ruleId: string } }>

/** Events of a user's account, or of a sign-in. */
type AccountEvent = Exclude<MailEvent, RequestEvent | ReviewEvent | LifecycleEvent>

const isOfRequest = (event: MailEvent): event is RequestEvent => 'requestId' in event.data

const isOfReview = (event: MailEvent): event is ReviewEvent => 'reviewId' in event.data

const isOfLifecycle = (event: MailEvent): event is LifecycleEvent => 'ruleId' in event.data

const isOfAccount = (event: MailEvent): event is AccountEvent =>
  !isOfRequest(event) && !isOfReview(event) && !isOfLifecycle(event)

export const concernsMail = (event: Recorded): event is MailEvent => causesEmail(event.type)

export const queueMail = (
  { vault, mail, clock }: Pick<Services, 'vault' | 'mail' | 'clock'>,
  pool: pg.Pool,
  waitFor: WaitFor,
) => {
  const queue = mailQueue(pool, clock)

  const changedAddress = ({
    id,
    data,
  }: Extract<Recorded, { type: 'user.email_changed' }>): readonly Subject[] => {
    // After the user's erasure, the addresses are missing.
    const { userId, from, to } = data as { userId: string; from?: string; to?: string }
    if (from === undefined || to === undefined || vault.personKeyState(userId) !== 'present') return []
    // An account that was just claimed had no address before.
    const former: readonly Subject[] = isPlaceholderAddress(from)
      ? []
      : [{ kind: 'address_changed', sealedAddress: vault.sealFor(userId, from, formerAddressPlace(id)) }]
    return isPlaceholderAddress(to)
      ? former
      : [...former, { kind: 'verify_address', address: addressHash(vault, to) }]
  }

  /** @param withMethod commands that added a method: recovery codes created with it need no separate email */
  const subjectsOf = (event: AccountEvent, withMethod: ReadonlySet<string>): readonly Subject[] => {
    switch (event.type) {
      case 'user.enrollment_link_issued': {
        const { kind, tokenHash, mailedTokenHash } = event.data
        if (kind === 'reset') return [{ kind: 'methods_reset', tokenHash }]
        return mailedTokenHash === null ? [] : [{ kind: 'invitation', tokenHash }]
      }
      case 'user.email_changed':
        return changedAddress(event)
      case 'user.method_added':
        return [{ kind: 'method_added', method: event.data.methodType }]
      case 'user.authenticator_added':
        return [{ kind: 'method_added', method: 'authenticator_code' }]
      case 'user.linked_account_added':
        return [{ kind: 'method_added', method: 'linked_account' }]
      case 'user.method_removed':
      case 'user.linked_account_removed':
        return [{ kind: 'method_removed' }]
      case 'user.recovery_codes_generated':
        return withMethod.has(event.metadata.correlationId) ? [] : [{ kind: 'recovery_codes_generated' }]
      case 'user.recovery_code_used':
        return [{ kind: 'recovery_code_used' }]
      case 'user.locked_out':
        return [{ kind: 'locked_out', until: event.data.until }]
      case 'risk_event.detected': {
        const { riskType, signInId } = event.data
        return signInId !== null && isUnusual(riskType) ? [{ kind: 'new_sign_in', signInId }] : []
      }
    }
  }

  /** All global administrators are told, each with an email of their own. */
  const toAdministrators = async ({
    id,
    data: { signInId },
    metadata,
  }: Extract<MailEvent, { type: 'risk_event.detected' }>): Promise<readonly NewEmail[]> => {
    if (signInId === null) return []
    const administrators = await activeGlobalAdmins(pool)
    return administrators.map((userId) => ({
      cause: `${id}|${userId}`,
      userId,
      subject: { kind: 'break_glass_used', signInId },
      at: metadata.time,
    }))
  }

  /** Approvers are asked once each, and reminded; whoever waits for the access hears what became of it. */
  const ofRequest = async (event: RequestEvent): Promise<readonly NewEmail[]> => {
    const { id, data, metadata } = event
    const { requestId } = data
    const reminds = event.type === 'access_request.reminded'
    const asks =
      reminds ||
      event.type === 'access_request.stage_opened' ||
      event.type === 'access_request.approvers_changed'
    const kind = reminds ? 'approval_reminder' : asks ? 'approval_requested' : 'access_request_decided'
    const before = event.type === 'access_request.approvers_changed' ? event.data.previousApproverIds : []
    const request = asks ? null : await requestSubject(pool, requestId)
    const readers = asks
      ? event.data.approverIds.filter((approver) => !before.includes(approver))
      : [data.userId, ...(request === null ? [] : [request.requesterId])]
    return [...new Set(readers)].map((userId) => ({
      cause: `${id}|${userId}`,
      userId,
      subject: { kind, requestId },
      at: metadata.time,
    }))
  }

  const toReviewers = async ({ id, data, metadata }: ReviewEvent): Promise<readonly NewEmail[]> =>
    (await reviewersWithItems(pool, data.reviewId)).map((userId) => ({
      cause: `${id}|${userId}`,
      userId,
      subject: { kind: 'access_review_opened', reviewId: data.reviewId },
      at: metadata.time,
    }))
  /** What a rule says goes to the readers that its run named; a paused rule is a matter of all its administrators. */
  const ofLifecycle = async (event: LifecycleEvent): Promise<readonly NewEmail[]> => {
    const { id, metadata } = event
    const isPause = event.type === 'lifecycle_rule.paused'
    const subject: Subject = isPause
      ? { kind: 'lifecycle_rule_paused', ruleId: event.data.ruleId }
      : {
          kind: 'lifecycle_message',
          aboutUserId: event.data.userId,
          title: event.data.subject,
          text: event.data.text,
        }
    const readers = isPause ? await activeUserAdmins(pool) : event.data.recipientIds
    return readers.map((userId) => ({ cause: `${id}|${userId}`, userId, subject, at: metadata.time }))
  }

  return async (batch: {
    readonly events: readonly Recorded[]
    readonly position: string
  }): Promise<void> => {
    const since = clock.in(-FRESH_SECONDS)
    const events = batch.events.filter(concernsMail).filter(({ metadata }) => metadata.time > since)
    if (!mail.available || events.length === 0) return
    const ofAccounts = events.filter(isOfAccount)
    await vault.ensureLoaded(ofAccounts.flatMap(({ data }) => data.userId ?? []))
    const withMethod = new Set(
      events
        .filter(({ type }) => type === 'user.method_added' || type === 'user.authenticator_added')
        .map(({ metadata }) => metadata.correlationId),
    )
    const emails = ofAccounts.flatMap((event): NewEmail[] => {
      const { userId } = event.data
      if (userId === null) return []
      return subjectsOf(event, withMethod).map((subject) => ({
        // A sign-in with several risks causes one email.
        cause: subject.kind === 'new_sign_in' ? subject.signInId : event.id,
        userId,
        subject,
        at: event.metadata.time,
      }))
    })
    for (const event of events)
      if (event.type === 'risk_event.detected' && event.data.riskType === 'break_glass_used')
        emails.push(...(await toAdministrators(event)))
    // The emails are written from the read models. If those lag behind, the subscriber retries.
    if (!(await waitFor('core', batch.position))) throw new Error('the read models lag behind')
    for (const event of events.filter(isOfRequest)) emails.push(...(await ofRequest(event)))
    for (const event of events.filter(isOfReview)) emails.push(...(await toReviewers(event)))
    for (const event of events.filter(isOfLifecycle)) emails.push(...(await ofLifecycle(event)))
    await queue.add(emails)
    mail.queued.wake()
  }
}
