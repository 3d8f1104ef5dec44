/** Sends emails over SMTP (RFC 5321), with verified TLS if the server offers it. */
import { createTransport } from 'nodemailer'
import { oneLine, type RenderedEmail } from './render-email.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 20_000
/** For one email in total. */
const SEND_MS = 60_000
const IDLE_MS = 30_000

export interface Addressed extends RenderedEmail {
  readonly to: { readonly name: string; readonly address: string }
  /** The same for each attempt, so that duplicates can be recognized */
  readonly id: string
}

/**
 * The server did not accept an email. `reason` contains neither address nor content, which server responses
 * may contain.
 */
export class MailRefused extends Error {
  /** `lasting`: a retry will not help; `unreachable`: no email can be sent right now. */
  readonly kind: 'lasting' | 'passing' | 'unreachable'
  readonly reason: string

  constructor(kind: MailRefused['kind'], reason: string) {
    super(`the mail server did not accept the email: ${reason}`)
    this.name = 'MailRefused'
    this.kind = kind
    this.reason = reason
  }
}

export interface MailServer {
  /** @throws MailRefused */
  readonly send: (email: Addressed) => Promise<void>
  /** Closes open connections. */
  readonly close: () => void
}

const sender = (from: string): { name: string; address: string } => {
  const { name = '', address = from } = /^(?<name>[^<]*?)\s*<(?<address>[^<>]+)>$/.exec(from)?.groups ?? {}
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}

interface SmtpError {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
}

/**
 * 5xx is permanent (RFC 5321 §4.2.1), except for errors about our credentials or the connection, which the operator
 * can fix.
 */
const refusal = (error: unknown): MailRefused => {
  const { code = 'unknown', responseCode, command } = error as SmtpError
  const reason = [code, responseCode, command?.split(' ', 2).join(' ')]
    .filter((part) => part !== undefined)
    .join(' ')
  const isAboutEmail = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (!isAboutEmail) return new MailRefused('unreachable', reason)
  const ours = responseCode !== undefined && [530, 534, 535, 538].includes(responseCode)
  const lasting = (responseCode === undefined || responseCode >= 500) && !ours
  return new MailRefused(lasting ? 'lasting' : 'passing', reason)
}

const isLocal = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)

/** @param from `name@example.com` or `Name <name@example.com>` */
export const mailServer = (smtpUrl: string, from: string): MailServer => {
  const url = new URL(smtpUrl)
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const credentials = url.username !== ''
  const transport = createTransport({
    pool: true,
    maxConnections: 5,
    maxRequeues: 1,
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A password is sent to another machine only over TLS.
    requireTLS: credentials && !secure && !isLocal(host),
    ...(credentials
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    idleTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const own = sender(from)
  const domain = own.address.slice(own.address.lastIndexOf('@') + 1)

  return {
    send: async ({ to, id, subject, text, html, language }) => {
      try {
        await transport.sendMail({
          from: own,
          to: { name: oneLine(to.name), address: to.address },
          envelope: { from: own.address, to: [to.address] },
          messageId: `<${id}@${domain}>`,
          subject,
          text,
          html,
          // RFC 3834 §5: prevents automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
          signal: AbortSignal.timeout(SEND_MS),
        })
      } catch (error) {
        throw refusal(error)
      }
    },
    close: () => {
      transport.close({ force: true })
    },
  }
}
