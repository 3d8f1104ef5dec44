import { expect } from 'chai'
import fc from 'fast-check'
import type { SignInMethod } from '../../domain/session/events.ts'
import { proofLacks, proofOf, proofStrengths, strongestHeld } from '../../domain/session/proof.ts'

const nobody = { methodTypes: [], linkedAccounts: false, recoveryCodes: false }
const before = '2026-01-31T09:19:59.999999Z'
const limit = '2026-01-31T09:20:00.000000Z'

describe('The strength of a proof', () => {
  const methods: readonly (readonly [SignInMethod, string])[] = [
    ['enrollment_link', 'none'],
    ['magic_link', 'mailbox'],
    ['authenticator_code', 'code'],
    ['recovery_code', 'code'],
    ['identity_provider', 'federated'],
    ['passkey', 'phishing_resistant'],
    ['security_key', 'phishing_resistant'],
    ['development', 'phishing_resistant'],
  ]
  for (const [method, worth] of methods)
    it(`SGN-01 ${method}: ${worth}`, () => {
      expect(proofOf([method])).to.equal(worth)
    })

  it('SGN-01 the strongest method that a user has is required, and none for a user without methods', () => {
    expect(strongestHeld(nobody)).to.equal('none')
    expect(strongestHeld({ ...nobody, recoveryCodes: true })).to.equal('code')
    expect(strongestHeld({ ...nobody, linkedAccounts: true, recoveryCodes: true })).to.equal('federated')
    expect(strongestHeld({ ...nobody, methodTypes: ['authenticator_code'] })).to.equal('code')
    expect(
      strongestHeld({
        methodTypes: ['authenticator_code', 'passkey'],
        linkedAccounts: true,
        recoveryCodes: true,
      }),
    ).to.equal('phishing_resistant')
  })

  it('SGN-01 a proof must be strong enough, then recent enough, to the microsecond', () => {
    const shown = { methods: ['authenticator_code'] as const, authTime: limit, raisedSince: false }
    expect(proofLacks(shown, 'code', limit)).to.equal(null)
    expect(proofLacks(shown, 'federated', limit)).to.equal('stronger')
    expect(proofLacks({ ...shown, authTime: before }, 'code', limit)).to.equal('again')
    expect(proofLacks({ ...shown, authTime: before }, 'federated', limit)).to.equal('stronger')
    expect(proofLacks({ ...shown, raisedSince: true }, 'code', limit)).to.equal('again')
    expect(
      proofLacks(
        { methods: ['development'], authTime: before, raisedSince: true },
        'phishing_resistant',
        limit,
      ),
    ).to.equal(null)
  })

  it('SGN-01 more methods never make a proof weaker, and having more methods never lowers the requirement', () => {
    const some = fc.subarray(methods.map(([method]) => method))
    const rank = (of: readonly SignInMethod[]) => proofStrengths.indexOf(proofOf(of))
    fc.assert(
      fc.property(some, some, (one, other) => {
        expect(rank([...one, ...other])).to.equal(Math.max(rank(one), rank(other)))
      }),
    )
  })
})
