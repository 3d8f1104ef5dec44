import { renderEmail } from '../../../adapters/outbound/mail/render-email.ts'
import { mailServer } from '../../../adapters/outbound/mail/smtp.ts'
import { mailPeer } from './mail.ts'

/**
 * What the mail server receives of an email to this user: the header names, and the recipients of header and envelope.
 */
export const smtpHeadersOf = async (
  to: { readonly name: string; readonly address: string },
  subject: string,
): Promise<{ readonly headers: readonly string[]; readonly recipients: readonly string[] }> => {
  const peer = await mailPeer()
  const server = mailServer(peer.url, 'Sign-in <id@svc.example>')
  try {
    const message = renderEmail(
      { subject, title: subject, paragraphs: [], notes: [] },
      { organization: 'Example Ltd', logoUrl: null, supportEmail: null },
    )
    await server.send({ ...message, to, id: 'a.b' })
    const { mail, to: envelope } = peer.received[0]!
    const named = (mail.to?.value ?? []).map(({ address = '' }) => address)
    return {
      headers: mail.headerLines.map(({ key }) => key),
      recipients: [...new Set([...named, ...envelope])],
    }
  } finally {
    server.close()
    await peer.stop()
  }
}
