/** Events of signing keys. */
import type { DomainEvent } from '../../../domain/catalogue.ts'
import { at, id } from '../fixed.ts'

export const key = (n: number): DomainEvent => ({
  type: 'signing_key.created',
  data: {
    keyId: id('signingKey', n),
    kid: `kid-${String(n)}`,
    alg: 'RS256',
    publicJwk: { kty: 'RSA', n: 'n', e: 'AQAB' },
    sealedPrivateKey: 'sealed',
  },
})
export const activated = (n: number, previous: number | null): DomainEvent => ({
  type: 'signing_key.activated',
  data: {
    keyId: id('signingKey', n),
    previousKeyId: previous === null ? null : id('signingKey', previous),
    previousRetiresAt: previous === null ? null : at(100),
  },
})
