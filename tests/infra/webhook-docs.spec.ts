import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Stripe from 'stripe'
import { signatureOf } from '../../adapters/outbound/webhooks/envelope.ts'
import { isFromTheService } from '../support/webhooks/webhook-verify.ts'

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('Verifying a webhook', () => {
  const body = '{"id":"aud_1","name":"Étoile"}'
  const secret = 'whsec_0123456789'

  it('WHK-04 has the same sample in the docs and in the test', () => {
    expect(file('infra/docs/webhooks.md')).to.include(
      `\`\`\`ts\n${file('tests/support/webhooks/webhook-verify.ts')}\`\`\``,
    )
  })

  it('WHK-04 signs t, a dot and the body with the whole secret', () => {
    const hex = createHmac('sha256', Buffer.from(secret))
      .update(Buffer.from(`1767323045.${body}`))
      .digest('hex')
    expect(signatureOf(secret, 1767323045, body)).to.equal(`t=1767323045,v1=${hex}`)
  })

  it('WHK-04 is accepted by a third-party verifier, which rejects every altered header', () => {
    const { webhooks } = new Stripe('sk_test_unused')
    const at = 1767323045
    const header = signatureOf(secret, at, body)
    const verify = (signature: string, text = body, key = secret, late = 0): boolean | undefined =>
      webhooks.signature?.verifyHeader(text, signature, key, 300, undefined, (at + late) * 1000)
    expect(verify(header)).to.equal(true)
    expect(verify(header, body, secret, 299)).to.equal(true)
    expect(() => verify(header, body, secret, 301)).to.throw(/tolerance/)
    expect(() => verify(header, `${body} `)).to.throw(/signature/)
    expect(() => verify(header, body, 'whsec_other')).to.throw(/signature/)
  })

  it('WHK-04 is accepted only within five minutes of signing', () => {
    const now = Math.floor(Date.now() / 1000)
    const header = signatureOf(secret, now, body)
    expect(isFromTheService(body, header, secret)).to.equal(true)
    expect(isFromTheService(Buffer.from(body), header, secret)).to.equal(true)
    expect(isFromTheService(body, signatureOf(secret, now - 290, body), secret)).to.equal(true)
    for (const late of [now - 310, now + 310])
      expect(isFromTheService(body, signatureOf(secret, late, body), secret)).to.equal(false)
    expect(isFromTheService(`${body}\n`, header, secret)).to.equal(false)
    expect(isFromTheService(body, header, secret.replace('whsec_', ''))).to.equal(false)
    expect(isFromTheService(body, header.replace(/t=\d+/, `t=${String(now - 1)}`), secret)).to.equal(false)
    for (const nonsense of [
      '',
      't=',
      'v1=00',
      `t=${String(now)}`,
      `t=${String(now)},v1=`,
      't=x,v1=zz',
      ',,=,',
    ])
      expect(isFromTheService(body, nonsense, secret), nonsense).to.equal(false)
  })
})
