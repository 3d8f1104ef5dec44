/** Works the queue of letters off, for as long as the service runs. */
import type pg from 'pg'
import type { Services } from '../../application/services/services.ts'
import { magicLinks } from '../../application/sign-in/magic-links.ts'
import { letterDrafts } from './drafts.ts'
import { mailQueue, type ClaimedLetter } from '../../engines/postgres/mail-queue.ts'
import { repeatTasks } from '../../kernel/repeated-tasks.ts'
import { MailRefused, type MailServer } from './smtp.ts'

/** Letters under way at the same time. */
const AT_ONCE = 5

/** What is due is looked for so often, besides when something was queued here. */
const LOOK_MS = 2000

/** On the way out, letters under way have so long to get through. */
const GRACE_MS = 3000

export interface PostmanOptions {
  /** Null: letters go nowhere but into the outbox. */
  readonly server: MailServer | null
  /** In development nobody is kept from asking for one link after the other. */
  readonly unlimitedLinks: boolean
  readonly log: { warn(fields: object, message: string): void }
}

/**
 * Sends what is queued, each letter once as far as a mail server lets anyone know: whoever stops between its word and
 * ours leaves a letter that goes out again.
 * @returns what ends it
 */
export const startPostman = (
  services: Pick<Services, 'pool' | 'vault' | 'clock' | 'random' | 'configuration' | 'mail' | 'publicUrl'>,
  workPool: pg.Pool,
  { server, unlimitedLinks, log }: PostmanOptions,
): (() => Promise<void>) => {
  const { mail, clock } = services
  const queue = mailQueue(workPool, clock)
  const links = magicLinks(services)
  const letterFor = letterDrafts(services, links)
  const stopping = new AbortController()

  /** @returns whether the mail server was there */
  const post = async (queued: ClaimedLetter): Promise<boolean> => {
    const { cause, subject, attempts, isOver } = queued
    const told = { letter: cause, kind: subject.kind, attempts }
    if (isOver) {
      await queue.settle(queued, 'failed')
      log.warn(told, 'a letter was given up: its time is over')
      return true
    }
    const letter = await letterFor(queued)
    if (letter === null) {
      await queue.settle(queued, 'unwanted')
      return true
    }
    try {
      await server?.send(letter)
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error
      const { kind, reason } = error
      if (kind === 'lasting') await queue.settle(queued, 'failed')
      else await queue.postpone(queued)
      log.warn(
        { ...told, reason },
        kind === 'lasting'
          ? 'a letter was given up: it was refused'
          : 'a letter was not taken; it will be tried again',
      )
      return kind !== 'unreachable'
    }
    await queue.settle(queued, 'sent')
    const { subject: title, text, html, links: found, to } = letter
    mail.outbox?.keep({ to: to.address, subject: title, text, html, links: found, at: clock.now() })
    return true
  }

  const deliver = async (): Promise<void> => {
    await links.resolve(queue.add, unlimitedLinks ? Infinity : undefined)
    for (let more = true; more && !stopping.signal.aborted;) {
      const claimed = await queue.claim(AT_ONCE)
      const results = await Promise.allSettled(
        claimed.map((queued) =>
          post(queued).catch(async (error: unknown) => {
            // Kept, the claim would hold it up for longer than what failed may last.
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
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'letters wait')
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
