import { expect } from 'chai'
import fc from 'fast-check'
import { authenticationOf, methodsAfter } from '../../domain/session/authentication.ts'
import type { SignInMethod, Strength } from '../../domain/session/events.ts'

const order: readonly Strength[] = ['otp', 'federated', 'phishing_resistant']

describe('How the user of a session has signed in', () => {
  const table: readonly (readonly [readonly SignInMethod[], boolean, readonly string[], Strength])[] = [
    [['passkey'], true, ['hwk', 'user'], 'phishing_resistant'],
    [['passkey'], false, ['hwk'], 'phishing_resistant'],
    [['security_key'], true, ['hwk', 'user'], 'phishing_resistant'],
    [['authenticator_code'], false, ['otp'], 'otp'],
    [['recovery_code'], false, ['otp'], 'otp'],
    [['magic_link'], false, ['otp'], 'otp'],
    [['authenticator_code', 'recovery_code'], false, ['otp'], 'otp'],
    [['identity_provider'], false, ['fed'], 'federated'],
    [['authenticator_code'], true, ['otp'], 'otp'],
    [['enrollment_link', 'passkey'], true, ['hwk', 'user'], 'phishing_resistant'],
    [['enrollment_link', 'authenticator_code'], false, ['otp'], 'otp'],
    [['identity_provider', 'authenticator_code'], false, ['fed', 'otp', 'mfa'], 'federated'],
    [['passkey', 'authenticator_code'], true, ['hwk', 'otp', 'user', 'mfa'], 'phishing_resistant'],
    [['identity_provider', 'passkey'], true, ['fed', 'hwk', 'user', 'mfa'], 'phishing_resistant'],
    [['development'], false, [], 'phishing_resistant'],
    [[], false, [], 'otp'],
  ]
  for (const [methods, verified, amr, strength] of table)
    it(`OIDC-13 ${methods.join(' and ') || 'nothing'}${verified ? ', verified' : ''}: ${amr.join(' ') || 'no amr'}, ${strength}`, () => {
      expect(authenticationOf(methods, verified)).to.deep.equal({ amr, strength })
    })

  const again: readonly (readonly [
    readonly SignInMethod[],
    readonly SignInMethod[],
    readonly SignInMethod[],
  ])[] = [
    [['passkey'], ['passkey'], ['passkey']],
    [['authenticator_code'], ['passkey'], ['authenticator_code', 'passkey']],
    [['passkey'], ['security_key'], ['passkey', 'security_key']],
    [['authenticator_code'], ['recovery_code'], ['authenticator_code', 'recovery_code']],
    [['passkey'], ['authenticator_code'], ['authenticator_code']],
    [['passkey', 'authenticator_code'], ['magic_link'], ['magic_link']],
    [['identity_provider'], ['recovery_code'], ['recovery_code']],
  ]
  for (const [earlier, proof, rests] of again)
    it(`OIDC-13 after ${earlier.join(' and ')}, ${proof.join(' and ')} leaves ${rests.join(' and ')}`, () => {
      expect(methodsAfter(earlier, proof)).to.deep.equal(rests)
    })

  it('OIDC-13 a session has exactly the strength of the current proof', () => {
    const methods = fc.subarray<SignInMethod>(
      ['passkey', 'security_key', 'authenticator_code', 'recovery_code', 'magic_link', 'identity_provider'],
      { minLength: 1 },
    )
    const rank = (of: readonly SignInMethod[]) => order.indexOf(authenticationOf(of, false).strength)
    fc.assert(
      fc.property(methods, methods, (earlier, proof) => {
        const after = methodsAfter(earlier, proof)
        expect(rank(after)).to.equal(rank(proof))
        expect(after).to.include.members([...proof])
      }),
    )
  })
})
