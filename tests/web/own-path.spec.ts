import { expect } from 'chai'
import { ownPath } from '../../adapters/inbound/sign-in/own-path.ts'

const HERE = 'https://id.example.com'

describe('the page of this service to return to', () => {
  for (const [requested, path] of [
    ['/account', '/account'],
    ['/device/ABCD-EFGH?x=1#y', '/device/ABCD-EFGH?x=1#y'],
    ['/x/../account', '/account'],
  ] as const)
    it(`${requested} leads to ${path}`, () => {
      expect(ownPath(requested, HERE)).to.equal(path)
    })

  for (const requested of [
    undefined,
    '',
    'account',
    'https://id.example.com/account',
    'https://evil.example',
    '//evil.example',
    '/..//evil.example',
    '/x/..//evil.example',
    '/.//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    '/é',
  ])
    it(`${JSON.stringify(requested) ?? 'nothing'} is ignored`, () => {
      expect(ownPath(requested, HERE)).to.equal(undefined)
    })
})
