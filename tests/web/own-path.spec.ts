import { expect } from 'chai'
import { ownPath } from '../../adapters/inbound/web/sign-in/own-path.ts'

const HERE = 'https://id.example.com'

describe('a page of ours to continue to', () => {
  for (const [given, path] of [
    ['/account', '/account'],
    ['/device/ABCD-EFGH?x=1#y', '/device/ABCD-EFGH?x=1#y'],
    ['/x/../account', '/account'],
  ] as const)
    it(`${given} leads to ${path}`, () => {
      expect(ownPath(given, HERE)).to.equal(path)
    })

  for (const given of [
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
    it(`${JSON.stringify(given) ?? 'nothing'} is not followed`, () => {
      expect(ownPath(given, HERE)).to.equal(undefined)
    })
})
