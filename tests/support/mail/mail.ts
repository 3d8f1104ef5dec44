/** A mail server for tests, and what users do with the emails that it receives. */
import { expect } from 'chai'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort, testPlace, type TestPlace, type TestService } from '../service/service.ts'
import { softPasskey } from '../sign-in/soft-passkey.ts'
import { until } from '../until.ts'

export interface Received {
  /** From the envelope. */
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly mail: ParsedMail
}

/** The server's response if it does not accept an email. */
export interface Answer {
  readonly status: number
  /** When it responds: after the recipient or after the content. */
  readonly at: 'recipient' | 'content'
}

export interface MailPeer {
  readonly url: string
  readonly received: Received[]
  /** Responses to the next emails, one each. */
  readonly answers: Answer[]
  /** The number of attempted emails, accepted or not. */
  readonly tries: () => number
  /** Emails to an address, oldest first, once this many have arrived. */
  readonly emailsTo: (address: string, count?: number) => Promise<readonly Received[]>
  /** The email with this subject to an address, once it has arrived. */
  readonly emailAbout: (address: string, subject: string) => Promise<Received>
  /** Starts again on the same port. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

const refusal = (status: number, address: string): Error =>
  Object.assign(new Error(`not now, <${address}>`), { responseCode: status })

/** Starts a mail server. @param options of smtp-server; TLS and authentication are off by default */
export const mailPeer = async (options: SMTPServerOptions = {}): Promise<MailPeer> => {
  const port = await freePort()
  const received: Received[] = []
  const answers: Answer[] = []
  let tries = 0
  let server: SMTPServer | null = null
  const make = (): SMTPServer =>
    new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      closeTimeout: 100,
      ...options,
      onRcptTo: ({ address }, _session, done) => {
        tries++
        const [answer] = answers
        if (answer?.at !== 'recipient') done()
        else done(refusal(answers.shift()?.status ?? 0, address))
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.once('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          const to = envelope.rcptTo.map(({ address }) => address)
          const answer = answers.shift()
          if (answer !== undefined) {
            done(refusal(answer.status, to.join()))
            return
          }
          const raw = Buffer.concat(chunks)
          void simpleParser(raw).then((mail) => {
            received.push({ from, to, raw: raw.toString(), mail })
            done()
          })
        })
      },
    })
  const peer: MailPeer = {
    url: `smtp://127.0.0.1:${String(port)}`,
    received,
    answers,
    tries: () => tries,
    emailsTo: async (address, count = 1) => {
      const matching = () =>
        received.filter(({ to }) => to.some((one) => one.toLowerCase() === address.toLowerCase()))
      await until(() => matching().length >= count, 10_000, `${String(count)} emails to ${address}`)
      return matching()
    },
    emailAbout: async (address, subject) => {
      const matching = () =>
        received.find(
          ({ to, mail }) =>
            mail.subject === subject && to.some((one) => one.toLowerCase() === address.toLowerCase()),
        )
      await until(() => matching() !== undefined, 10_000, `"${subject}" to ${address}`)
      return matching()!
    },
    start: () =>
      new Promise((resolve, reject) => {
        server = make()
        // Connections that the service drops.
        server.on('error', () => undefined)
        server.listen(port, '127.0.0.1', resolve)
        server.server.once('error', reject)
      }),
    stop: () =>
      new Promise((resolve) => {
        if (server === null) resolve()
        else server.close(resolve)
        server = null
      }),
  }
  await peer.start()
  return peer
}

/** A test place whose emails go to this mail server. */
export const mailPlace = (peer: MailPeer, overrides: Partial<TestPlace['config']> = {}): Promise<TestPlace> =>
  testPlace({ mail: { smtpUrl: peer.url, from: 'Sign-in <id@svc.example>' }, ...overrides })

/** The link in the text of an email; the HTML has the same one. */
export const linkIn = ({ mail }: Received, path: string): string => {
  const link = new RegExp(`http://localhost:\\d+${path}\\S*`).exec(mail.text ?? '')?.[0] ?? ''
  expect(link, mail.text).not.to.equal('')
  expect(String(mail.html)).to.contain(`href="${link}"`)
  return link
}

export const tokenIn = (message: Received, path: string): string =>
  linkIn(message, path).split('/').at(-1) ?? ''

/** Makes everything that is due later due now. */
export const hurryUp = async (service: TestService): Promise<void> => {
  await service.core.workPool.query('update work.mail set next_attempt_at = now() where outcome is null')
  service.core.services.mail.queued.wake()
}

/** Resolves once an email of a kind to a user is queued and has failed once. */
export const triedInVain = (service: TestService, userId: string, kind: string): Promise<void> =>
  until(
    async () => {
      const tried = `select from work.mail where user_id = $1 and kind = $2 and attempts > 0 and outcome is null`
      return (await service.core.workPool.query(tried, [userId, kind])).rowCount === 1
    },
    10_000,
    `a try of ${kind}`,
  )

/** Number of queued emails by outcome; `waiting` for those not yet sent. */
export const outcomes = async (service: TestService): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await service.core.workPool.query<{ outcome: string; count: number }>(
    `select coalesce(outcome, 'waiting') as outcome, count(*)::int as count from work.mail group by 1`,
  )
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]))
}

/** Enrols with a passkey. @returns the response to the last step */
export const enrol = async (service: TestService, token: string) => {
  const passkey = softPasskey(service.core.services.publicUrl)
  const begun = await service.api('POST', `/auth/enroll/${token}/passkey/options`, { body: {} })
  if (begun.status !== 200) return begun
  return service.api('POST', `/auth/enroll/${token}/passkey`, {
    body: { ceremonyId: begun.body.ceremonyId, credential: passkey.create(begun.body.publicKey) },
  })
}
