import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SMTPServerOptions } from 'smtp-server'
import { mailPeer, type MailPeer } from '../support/mail/mail.ts'
import { testAuthority, type Certified } from '../support/net/tls.ts'

const program = fileURLToPath(new URL('../support/mail/send-email.ts', import.meta.url))

/** `NODE_EXTRA_CA_CERTS` is read at process start, so a separate process sends each email. */
describe('Mail servers whose certificate is verified', function () {
  this.timeout(30_000)
  let folder: string
  let authority: Awaited<ReturnType<typeof testAuthority>>
  let ours: Certified
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-mail-tls-'))
    authority = await testAuthority()
    ours = await authority.certify('localhost')
    await writeFile(join(folder, 'authority.pem'), authority.cert)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const sent = async (url: string): Promise<string> => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') }
    return (await promisify(execFile)(process.execPath, ['--import', 'tsx', program, url], { env })).stdout
  }

  const through = async (
    options: SMTPServerOptions,
    urlOf: (port: string) => string,
  ): Promise<{
    readonly outcome: string
    readonly peer: MailPeer
    readonly passwords: readonly string[]
  }> => {
    const passwords: string[] = []
    const peer = await mailPeer({
      disabledCommands: [],
      authOptional: false,
      // Without TLS, the server does not request a password.
      allowInsecureAuth: false,
      onAuth: ({ password }, { secure }, done) => {
        passwords.push(`${password ?? ''} ${secure ? 'over TLS' : 'in plain text'}`)
        done(null, { user: 'mailer' })
      },
      ...options,
    })
    try {
      return { outcome: await sent(urlOf(new URL(peer.url).port)), peer, passwords }
    } finally {
      await peer.stop()
    }
  }

  it('get emails over smtps, and the password only over TLS', async () => {
    const { outcome, peer, passwords } = await through(
      { secure: true, ...ours },
      (port) => `smtps://mailer:hunter2@localhost:${port}`,
    )
    expect(outcome).to.equal('taken')
    expect(passwords).to.deep.equal(['hunter2 over TLS'])
    expect(peer.received.map(({ to }) => to)).to.deep.equal([['ada@example.com']])
  })

  it('get emails over smtp after STARTTLS', async () => {
    const { outcome, peer, passwords } = await through(
      ours,
      (port) => `smtp://mailer:hunter2@localhost:${port}`,
    )
    expect(outcome).to.equal('taken')
    expect(passwords).to.deep.equal(['hunter2 over TLS'])
    expect(peer.received).to.have.length(1)
  })

  it('get neither email nor password if the certificate is for another name', async () => {
    const others = await authority.certify('mail.example.net')
    for (const [options, scheme] of [
      [{ secure: true, ...others }, 'smtps'],
      [others, 'smtp'],
    ] as const) {
      const { outcome, peer, passwords } = await through(
        options,
        (port) => `${scheme}://mailer:hunter2@localhost:${port}`,
      )
      expect(outcome, scheme).to.match(/^(?:ETLS|ESOCKET|ECONNECTION)/)
      expect(passwords).to.deep.equal([])
      expect(peer.received).to.deep.equal([])
    }
  })
})
