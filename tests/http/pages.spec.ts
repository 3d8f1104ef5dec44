import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { decodeCursor, encodeCursor } from '../../adapters/inbound/http/cursor.ts'
import { sendHtmlPage } from '../../adapters/inbound/http/respond.ts'
import { pageSecurityHeaders } from '../../adapters/inbound/http/security-headers.ts'

describe('security headers of pages', () => {
  const headersFor = async (publicUrl: string, options?: Parameters<typeof pageSecurityHeaders>[1]) => {
    const server = createServer((_, response) => {
      sendHtmlPage(response, 200, { html: 'page', headers: pageSecurityHeaders(publicUrl, options) })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      return headers
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('allow only our own files and nothing inline, are not cached, send no referrer', async () => {
    const headers = await headersFor('https://id.example.com')
    expect(headers.get('content-security-policy')?.split(';')).to.deep.equal([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ])
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('referrer-policy')).to.equal('no-referrer')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('x-frame-options')).to.equal('DENY')
    expect(headers.get('strict-transport-security')).to.equal('max-age=31536000')
    expect(headers.get('x-powered-by')).to.equal(null)
  })
  it('no HSTS without https; forms may be sent to the named origins', async () => {
    const headers = await headersFor('http://localhost:8080', { formAction: ['https://sp.example'] })
    expect(headers.get('strict-transport-security')).to.equal(null)
    expect(headers.get('content-security-policy')).to.include("form-action 'self' https://sp.example;")
    const anywhere = await headersFor('http://localhost:8080', { formAction: 'anywhere' })
    expect(anywhere.get('content-security-policy')).not.to.include('form-action')
  })
})

describe('cursors', () => {
  it('are returned as they were given', () => {
    const keys = ['Ärger "x"', 5, null]
    expect(decodeCursor(encodeCursor(keys), 3)).to.deep.equal(keys)
    expect(decodeCursor(undefined, 3)).to.equal(undefined)
  })
  it('of another list, and malformed ones, are rejected', () => {
    for (const wrong of [
      encodeCursor([1]),
      'x',
      '',
      'bnVsbA',
      Buffer.from('{"length":2}').toString('base64url'),
    ])
      expect(() => decodeCursor(wrong, 2), wrong).to.throw(
        /^cursor: expected an unchanged cursor from a Link header/,
      )
  })
})
