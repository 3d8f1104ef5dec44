/**
 * A separate process that sends one email by the server named in its arguments, and prints `taken` or the reason for
 * the failure.
 */
import { MailRefused, mailServer } from '../../../adapters/outbound/mail/smtp.ts'

const [smtpUrl = ''] = process.argv.slice(2)
const server = mailServer(smtpUrl, 'id@example.com')
const outcome = await server
  .send({
    to: { name: 'Ada', address: 'ada@example.com' },
    id: 'email-1',
    subject: 'Hello',
    text: 'Hello',
    html: '<p>Hello</p>',
    links: [],
    language: 'en',
  })
  .then(
    () => 'taken',
    (error: unknown) => (error instanceof MailRefused ? error.reason : String(error)),
  )
server.close()
process.stdout.write(outcome)
