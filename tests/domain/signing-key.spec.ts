import { expect } from 'chai'
import {
  signingKeyDecider,
  signingKeysStream,
  type SigningKeyCommand,
} from '../../domain/signing-key/decider.ts'
import type { SigningKeyEvent } from '../../domain/signing-key/events.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/given.ts'

const key = (n: number): SigningKeyCommand['key'] => ({
  keyId: id('signingKey', n),
  kid: `k${String(n)}`,
  alg: 'RS256',
  publicJwk: { kty: 'RSA', n: 'AQ', e: 'AQAB' },
  sealedPrivateKey: 'sealed',
})
const created: SigningKeyEvent = { type: 'signing_key.created', data: key(1) }
const activated: SigningKeyEvent = {
  type: 'signing_key.activated',
  data: { keyId: id('signingKey', 1), previousKeyId: null },
}

describe('The signing keys', () => {
  it('OIDC-17 share one stream', () => {
    expect(signingKeysStream).to.equal('signing-keys')
  })
  it('OIDC-17 begin with a key that signs at once', () => {
    given(signingKeyDecider)
      .when({ type: 'create_first', key: key(1) })
      .then(created, activated)
  })
  it('OIDC-17 have one first key, whoever else wants to make it', () => {
    given(signingKeyDecider, created, activated)
      .when({ type: 'create_first', key: key(2) })
      .changesNothing()
  })
})
