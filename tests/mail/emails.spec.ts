import { expect } from 'chai'
import { accentTokens } from '../../domain/branding/accent.ts'
import * as contents from '../../adapters/outbound/mail/contents.ts'
import { renderEmail, oneLine, type Content, type Sender } from '../../adapters/outbound/mail/render-email.ts'
import { smtpHeadersOf } from '../support/mail/mail-headers.ts'
import { id } from '../support/fixed.ts'

const { invitation, magicLink, methodAdded } = contents
const sender: Sender = { organization: 'Example Ltd', logoUrl: null, supportEmail: null }
const reader = { name: 'Ada', organization: 'Example Ltd', publicUrl: 'https://id.example.com' }
const link = { url: 'https://id.example.com/enroll/abc', expiresAt: '2026-11-28T10:00:00.000000Z' }
const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  `' onmouseover='alert(1)`,
  '</style><h1 class="title">Owned</h1>',
  '<a href="https://evil.example">click</a>',
  '{{7*7}} <!-- ',
  ' class="button" style="position:fixed"',
]

describe('emails', () => {
  it('have the same content as text and as HTML', () => {
    const { subject, text, html, links } = renderEmail(invitation(reader, link), sender)
    expect(subject).to.equal('Set up your account at Example Ltd')
    for (const part of [
      'Hello Ada,',
      'Set up your account',
      link.url,
      '28 November 2026 at 10:00 UTC',
      'Example Ltd',
    ])
      for (const whole of [text, html]) expect(whole).to.contain(part)
    expect(links).to.deep.equal([link.url])
    expect(text).not.to.match(/[<>]/)
  })

  it('API-11 have the accent colour, readable in both themes', () => {
    const { light, dark } = accentTokens('#ffee00')
    const { html } = renderEmail(invitation(reader, link), { ...sender, accentColor: '#ffee00' })
    expect(html).to.contain(`background:${light.accent};color:${light.onAccent}`)
    expect(html).to.contain(`background:${dark.accent}!important;color:${dark.onAccent}!important`)
    expect(html).not.to.contain('#0f5f66')
    expect(renderEmail(invitation(reader, link), sender).html).to.contain('#0f5f66')
  })

  it('are German, with a German date, for a reader of German', () => {
    const german = { ...reader, language: 'de' } as const
    const { subject, text, html, language } = renderEmail(invitation(german, link), {
      ...sender,
      supportEmail: 'help@example.com',
      language: 'de',
    })
    expect(subject).to.equal('Richten Sie Ihr Konto bei Example Ltd ein')
    for (const part of ['Guten Tag Ada,', 'Konto einrichten', '28. November 2026 um 10:00 UTC', 'Fragen?'])
      for (const whole of [text, html]) expect(whole).to.contain(part)
    expect(html).to.match(/^<!doctype html>\n<html lang="de">/)
    expect(language).to.equal('de')
  })

  const signIn = {
    id: id('signInEvent'),
    time: '2026-01-01T00:00:00.000000Z',
    result: 'success',
    device: 'Firefox',
    location: 'Japan',
    ip: '192.0.2.1',
  } as const

  it('have no line in common in the two languages', () => {
    const at = link.expiresAt
    const all = (language: 'en' | 'de'): readonly Content[] => {
      const to = { ...reader, language }
      return [
        invitation(to, link),
        magicLink(to, { url: link.url, minutes: 15 }),
        contents.verification(to, link),
        ...(['passkey', 'security_key', 'authenticator_code', 'linked_account'] as const).map((method) =>
          methodAdded(to, method, at),
        ),
        contents.methodRemoved(to, at),
        contents.methodsReset(to, at, link),
        contents.methodsReset(to, at, null),
        contents.recoveryCodesGenerated(to, at),
        contents.recoveryCodeUsed(to, at),
        contents.addressChanged(to, at),
        contents.lockedOut(to, at, at),
        contents.newSignIn(to, signIn),
        contents.breakGlassUsed(to, { ...signIn, email: 'glass@example.com' }),
        contents.newSignIn(to, { ...signIn, result: 'interrupted', device: null }),
      ]
    }
    const lines = (language: 'en' | 'de') =>
      all(language).flatMap(({ subject, title, paragraphs, button, notes }) => [
        ...[subject, title, ...paragraphs, ...notes],
        ...(button === undefined ? [] : [button.label]),
      ])
    const english = new Set(lines('en'))
    expect(lines('de').filter((line) => english.has(line))).to.deep.equal([])
  })

  it('escape markup in names', () => {
    for (const attack of attacks) {
      const named = { ...reader, name: attack, organization: attack }
      const written = renderEmail(invitation(named, link), {
        ...sender,
        organization: attack,
        supportEmail: attack,
      })
      const plain = renderEmail(invitation(reader, link), { ...sender, supportEmail: 'x' })
      const tags = (html: string) => html.replaceAll(/>[^<]*/g, '>').replaceAll(/alt="[^"]*"/g, '')
      expect(tags(written.html)).to.equal(tags(plain.html))
      expect(written.text).to.contain(attack.trim())
    }
  })

  it('are readable in a dark theme', () => {
    const { html } = renderEmail(methodAdded(reader, 'passkey', link.expiresAt), {
      ...sender,
      logoUrl: 'https://id.example.com/logo.png',
    })
    expect(html).to.contain('<img class="logo" style="')
    expect(html).to.contain('@media (prefers-color-scheme:dark){.ground{background:#0e1314!important}')
    expect(html).to.contain('color:#0b1a1c!important}')
    for (const [, name] of html.matchAll(/<\w+ [^>]*class="(\w+)"/g))
      expect(html).to.match(new RegExp(`class="${String(name)}" style="`))
    // Only the logo is loaded from elsewhere.
    expect([...html.matchAll(/(?:src=|url\(|@import)/g)]).to.have.length(1)
  })

  it('keep single-line values on one line', () => {
    const name = 'Ada\r\nBcc: eve@evil.example\u2028\u202Etxt.exe\u0000'
    expect(oneLine(name)).to.equal('Ada Bcc: eve@evil.example txt.exe')
    const { subject, text } = renderEmail(
      magicLink({ ...reader, organization: name }, { url: link.url, minutes: 15 }),
      {
        ...sender,
        organization: name,
      },
    )
    expect(subject).to.equal('Sign in to Ada Bcc: eve@evil.example txt.exe')
    expect(text).not.to.match(/^Bcc:/m)
  })

  it('cannot be used to inject headers or recipients', async () => {
    const names = [
      'Ada\r\nBcc: eve@evil.example',
      'Ada" <eve@evil.example>, "x',
      'Ada, eve@evil.example',
      '=?utf-8?q?x?=',
    ]
    for (const name of names) {
      const { headers, recipients } = await smtpHeadersOf({ name, address: 'ada@example.com' }, name)
      expect(recipients).to.deep.equal(['ada@example.com'])
      expect(headers.filter((key) => key === 'to' || key === 'subject')).to.have.length(2)
      expect(headers).not.to.include('bcc')
    }
  })
})
