import { expect } from 'chai'
import { PREVIOUS_KEY_SECONDS, signingKeyDecider } from '../../domain/signing-key/decider.ts'
import type { SigningKeyData, SigningKeyEvent } from '../../domain/signing-key/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const key = (n: number): SigningKeyData => ({
  keyId: id('signingKey', n),
  kid: `k${String(n)}`,
  alg: 'RS256',
  publicJwk: { kty: 'RSA', n: 'AQ', e: 'AQAB' },
  sealedPrivateKey: 'sealed',
})
const created = (n: number): SigningKeyEvent => ({ type: 'signing_key.created', data: key(n) })
const activated = (
  n: number,
  previous: number | null = null,
  retiresAt: string | null = null,
): SigningKeyEvent => ({
  type: 'signing_key.activated',
  data: {
    keyId: id('signingKey', n),
    previousKeyId: previous === null ? null : id('signingKey', previous),
    previousRetiresAt: retiresAt,
  },
})
const retired = (n: number): SigningKeyEvent => ({
  type: 'signing_key.retired',
  data: { keyId: id('signingKey', n) },
})

const ensure = { type: 'ensure', active: key(8), next: key(9) } as const
const rotate = (active: number, next: number) =>
  ({ type: 'rotate', activeKeyId: id('signingKey', active), next: key(next), retiresAt: at(100) }) as const
const retire = (n: number, now: string) => ({ type: 'retire', keyId: id('signingKey', n), now }) as const

const begun = [created(1), activated(1), created(2)]
const rotated = [...begun, activated(2, 1, at(100)), created(3)]

describe('The signing keys', () => {
  it('OIDC-17 stay published for seven days after they were replaced', () => {
    expect(PREVIOUS_KEY_SECONDS).to.equal(604_800)
  })

  it('OIDC-17 begin with a key that signs immediately and the next one', () => {
    given(signingKeyDecider).when(ensure).then(created(8), activated(8), created(9))
  })
  it('OIDC-17 get a next one if there is only an active one', () => {
    given(signingKeyDecider, created(1), activated(1)).when(ensure).then(created(9))
  })
  it('OIDC-17 are created once, even if several instances try', () => {
    given(signingKeyDecider, ...begun)
      .when(ensure)
      .changesNothing()
  })

  it('OIDC-17 rotate in one decision: the next key becomes active, the previous one is kept, and a new next one is created', () => {
    given(signingKeyDecider, ...begun)
      .when(rotate(1, 3))
      .then(activated(2, 1, at(100)), created(3))
  })
  it('OIDC-17 rotate once for two requests based on the same state', () => {
    given(signingKeyDecider, ...rotated)
      .when(rotate(1, 4))
      .changesNothing()
  })
  it('OIDC-17 rotate again for a request that saw the last rotation', () => {
    given(signingKeyDecider, ...rotated)
      .when(rotate(2, 4))
      .then(activated(3, 2, at(100)), created(4))
  })
  it('OIDC-17 do not rotate without a next key', () => {
    given(signingKeyDecider, created(1), activated(1)).when(rotate(1, 2)).refuses('ERR_CONFLICT')
  })
  it('OIDC-17 do not rotate without any key', () => {
    given(signingKeyDecider).when(rotate(1, 2)).changesNothing()
  })

  it('OIDC-17 retire once, when they expire and not before', () => {
    given(signingKeyDecider, ...rotated)
      .when(retire(1, at(99)))
      .changesNothing()
    given(signingKeyDecider, ...rotated)
      .when(retire(1, at(100)))
      .then(retired(1))
    given(signingKeyDecider, ...rotated, retired(1))
      .when(retire(1, at(200)))
      .changesNothing()
  })
  it('OIDC-17 do not retire while they are active or next', () => {
    for (const n of [2, 3, 4])
      given(signingKeyDecider, ...rotated)
        .when(retire(n, at(200)))
        .changesNothing()
  })
})
