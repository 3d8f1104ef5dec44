/** Sends the queued emails. */
import type pg from 'pg'
import type { Services } from '../../application/services/services.ts'
import { magicLinks } from '../../application/sign-in/magic-links.ts'
import { emailDrafts } from './drafts.ts'
import { mailQueue, type ClaimedEmail } from '../../engines/postgres/mail-queue.ts'
import { repeatTasks } from '../../kernel/repeated-tasks.ts'
import { MailRefused, type MailServer } from './smtp.ts'

/** Maximum number of emails sent in parallel. */
const AT_ONCE = 5

/** How often due emails are polled, besides notifications of new ones by this instance. */
const LOOK_MS = 2000

/** How long a shutdown waits for emails in progress. */
const GRACE_MS = 3000

export interface PostmanOptions {
  /** Null: emails go only to the outbox */
  readonly server: MailServer | null
  /** In development the number of links is not limited. */
  readonly unlimitedLinks: boolean
  readonly log: { warn(fields: object, message: string): void }
}

/**
 * Sends queued emails, each only once as far as SMTP allows: if the process ends after the server accepted an email
 * and before this is recorded, the email is sent again.
 * @returns a function that stops the sender
 */
export const startPostman = (
  services: Pick<Services, 'pool' | 'vault' | 'clock' | 'random' | 'configuration' | 'mail' | 'publicUrl'>,
  workPool: pg.Pool,
  { server, unlimitedLinks, log }: PostmanOptions,
): (() => Promise<void>) => {
  const { mail, clock } = services
  const queue = mailQueue(workPool, clock)
  const links = magicLinks(services)
  const emailFor = emailDrafts(services, links)
  const stopping = new AbortController()

  /** @returns whether the mail server was reachable */
  const post = async (queued: ClaimedEmail): Promise<boolean> => {
    const { cause, subject, attempts, isOver } = queued
    const fields = { cause, kind: subject.kind, attempts }
    if (isOver) {
      await queue.recordOutcome(queued, 'failed')
      log.warn(fields, 'email expired unsent')
      return true
    }
    const email = await emailFor(queued)
    if (email === null) {
      await queue.recordOutcome(queued, 'unwanted')
      return true
    }
    try {
      await server?.send(email)
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error
      const { kind, reason } = error
      if (kind === 'lasting') await queue.recordOutcome(queued, 'failed')
      else await queue.postpone(queued)
      log.warn(
        { ...fields, reason },
        kind === 'lasting'
          ? 'email rejected by the mail server, not retried'
          : 'email not accepted, will be retried',
      )
      return kind !== 'unreachable'
    }
    await queue.recordOutcome(queued, 'sent')
    const { subject: title, text, html, links: emailLinks, to } = email
    mail.outbox?.keep({ to: to.address, subject: title, text, html, links: emailLinks, at: clock.now() })
    return true
  }

  const deliver = async (): Promise<void> => {
    await links.resolve(queue.add, unlimitedLinks ? Infinity : undefined)
    for (let more = true; more && !stopping.signal.aborted;) {
      const claimed = await queue.claim(AT_ONCE)
      const results = await Promise.allSettled(
        claimed.map((queued) =>
          post(queued).catch(async (error: unknown) => {
            // Keeping the claim could delay the email for longer than the failure lasts.
            await queue.postpone(queued)
            throw error
          }),
        ),
      )
      const failed = results.find((result) => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      const unreachable = results.length > 0 && results.every((r) => r.status === 'fulfilled' && !r.value)
      more = claimed.length === AT_ONCE && !unreachable
    }
  }

  let mark = mail.queued.now()
  const lookAndDeliver = (): Promise<void> => {
    mark = mail.queued.now()
    return deliver()
  }
  const running = repeatTasks([{ name: 'mail', every: 0, run: lookAndDeliver }], {
    signal: stopping.signal,
    failed: (_, error): undefined => {
      log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        'emails are waiting to be sent',
      )
    },
    rest: (_, signal) => mail.queued.after(mark, LOOK_MS, signal),
  })
  return async () => {
    stopping.abort()
    const grace = setTimeout(() => server?.close(), GRACE_MS)
    await running
    clearTimeout(grace)
    server?.close()
  }
}
