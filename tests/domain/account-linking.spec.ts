import { expect } from 'chai'
import fc from 'fast-check'
import { identityIn } from '../../domain/identity-provider/claims.ts'
import {
  decideLinking,
  type KnownAccount,
  type LinkingDecision,
  type LinkingProvider,
} from '../../domain/identity-provider/linking.ts'
import { userDecider } from '../../domain/user/decider.ts'
import { given } from '../support/domain/given.ts'
import { id } from '../support/fixed.ts'
import * as ada from '../support/sign-in/ada.ts'

describe('Linking an account at an identity provider', () => {
  const userId = id('user')
  const jit: LinkingProvider = {
    domains: ['contoso.example'],
    linking: 'email_verified',
    provisioning: 'jit',
    trustEmailVerified: true,
  }
  const email = 'ada@contoso.example'
  const user = (decision: 'sign_in' | 'enroll' | 'link' | 'confirm'): LinkingDecision => ({
    decision,
    userId,
  })
  const refuse = (
    code: Extract<LinkingDecision, { decision: 'refuse' }>['code'],
    who: string | null = null,
  ): LinkingDecision => ({ decision: 'refuse', code, userId: who })

  const accounts: Readonly<Record<string, KnownAccount | null>> = {
    'no account': null,
    invited: { userId, status: 'invited', hasOtherLink: false, canConfirm: false },
    'active with a passkey': { userId, status: 'active', hasOtherLink: false, canConfirm: true },
    'active without any other method': { userId, status: 'active', hasOtherLink: false, canConfirm: false },
    suspended: { userId, status: 'suspended', hasOtherLink: false, canConfirm: true },
    'linked to another account of the provider': {
      userId,
      status: 'active',
      hasOtherLink: true,
      canConfirm: true,
    },
  }

  /** {address verified by the provider?} × {domain verified for the provider?} × {account at the address}. */
  const table: readonly (readonly [string, LinkingDecision])[] = [
    ['no account', { decision: 'create', email }],
    ['invited', user('enroll')],
    ['active with a passkey', user('confirm')],
    ['active without any other method', user('link')],
    ['suspended', refuse('ERR_ACCOUNT_SUSPENDED', userId)],
    ['linked to another account of the provider', refuse('ERR_NOT_LINKED', userId)],
  ]
  for (const [account, verified] of table) {
    const at = accounts[account] ?? null
    it(`SGN-04 verified address, verified domain, ${account}: ${verified.decision}`, () => {
      expect(decideLinking(jit, { email, emailVerified: true }, null, at)).to.deep.equal(verified)
      // A provider that never says so is taken at its word for its own domains.
      expect(decideLinking(jit, { email, emailVerified: null }, null, at)).to.deep.equal(verified)
    })
    it(`SGN-04 verified address, another domain, ${account}: refused`, () => {
      const asserted = { email: 'ada@elsewhere.example', emailVerified: true }
      expect(decideLinking(jit, asserted, null, at)).to.deep.equal(refuse('ERR_DOMAIN_NOT_ALLOWED'))
      expect(decideLinking({ ...jit, domains: [] }, { email, emailVerified: true }, null, at)).to.deep.equal(
        refuse('ERR_DOMAIN_NOT_ALLOWED'),
      )
    })
    it(`SGN-04 unverified address, ${account}: refused, whatever the domain`, () => {
      for (const domain of ['contoso.example', 'elsewhere.example'])
        for (const emailVerified of [false, ...(domain === 'contoso.example' ? [] : [null])])
          expect(decideLinking(jit, { email: `ada@${domain}`, emailVerified }, null, at)).to.deep.equal(
            refuse('ERR_EMAIL_NOT_VERIFIED'),
          )
      const untrusted = { ...jit, trustEmailVerified: false }
      for (const emailVerified of [true, false, null])
        expect(decideLinking(untrusted, { email, emailVerified }, null, at)).to.deep.equal(
          refuse('ERR_EMAIL_NOT_VERIFIED'),
        )
    })
    it(`SGN-04 a linked account signs in or is suspended, whoever has the address: ${account}`, () => {
      for (const asserted of [
        { email: null, emailVerified: null },
        { email: 'new@elsewhere.example', emailVerified: false },
      ]) {
        const linked = { userId: 'usr_linked', status: 'active' } as const
        expect(decideLinking(jit, asserted, linked, at)).to.deep.equal({
          decision: 'sign_in',
          userId: 'usr_linked',
        })
        expect(decideLinking(jit, asserted, { ...linked, status: 'suspended' }, at)).to.deep.equal(
          refuse('ERR_ACCOUNT_SUSPENDED', 'usr_linked'),
        )
      }
    })
  }

  it('SGN-04 without linking by address, an existing account is never opened', () => {
    for (const linking of ['manual', 'never'] as const)
      for (const account of ['invited', 'active with a passkey', 'active without any other method']) {
        const decided = decideLinking(
          { ...jit, linking },
          { email, emailVerified: true },
          null,
          accounts[account] ?? null,
        )
        expect(decided).to.deep.equal(refuse('ERR_NOT_LINKED', userId))
        const closed = { ...jit, linking, provisioning: 'none' } as const
        expect(
          decideLinking(closed, { email, emailVerified: true }, null, accounts[account] ?? null),
        ).to.deep.equal(refuse('ERR_NOT_LINKED'))
      }
    const closed = { ...jit, provisioning: 'none' } as const
    expect(decideLinking(closed, { email, emailVerified: true }, null, null)).to.deep.equal(
      refuse('ERR_NOT_LINKED'),
    )
  })

  it('SGN-04 a refusal without a verified address does not tell whether the address has an account', () => {
    const asserted = fc.record({
      email: fc.constantFrom(null, email, 'ada@elsewhere.example'),
      emailVerified: fc.constantFrom(true, false, null),
    })
    const providers = fc.record({
      linking: fc.constantFrom('email_verified' as const, 'manual' as const, 'never' as const),
      provisioning: fc.constantFrom('jit' as const, 'none' as const),
      trustEmailVerified: fc.boolean(),
      domains: fc.constantFrom([], ['contoso.example']),
    })
    fc.assert(
      fc.property(providers, asserted, fc.constantFrom(...Object.values(accounts)), (one, said, account) => {
        const proved =
          one.trustEmailVerified &&
          said.email === email &&
          said.emailVerified !== false &&
          one.domains.length > 0
        if (!proved)
          expect(decideLinking(one, said, null, account)).to.deep.equal(decideLinking(one, said, null, null))
      }),
      { seed: 20261124, numRuns: 500 },
    )
  })
})

describe('Claims of an identity provider', () => {
  it('SGN-04 are never trusted to have a form', () => {
    const mapping = { email: 'email', name: 'name', groups: 'groups', title: '__proto__' }
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('sub', 'email', 'email_verified', 'name', 'groups', 'acr', 'amr'),
          fc.anything(),
        ),
        (claims) => {
          const identity = identityIn(claims, mapping)
          if (identity === null) return
          expect(identity.subject).to.be.a('string').with.length.within(1, 255)
          expect(identity.profile).to.not.have.property('title')
          for (const value of [...(identity.groups ?? []), ...identity.authentication])
            expect(value).to.be.a('string')
        },
      ),
      { seed: 20261124, numRuns: 500 },
    )
  })
})

describe('Federated accounts of a user', () => {
  const { userId, account } = ada
  const profile = { email: 'ada@example.com', name: 'Ada' }

  it('SGN-04 a user whom only the provider knows is active at once', () => {
    const command = { type: 'create_federated', userId, profile, account: account() } as const
    given(userDecider)
      .when(command)
      .then(
        { type: 'user.invited', data: { userId, profile, source: 'identity_provider' } },
        { type: 'user.email_verified', data: { userId } },
        { type: 'user.linked_account_added', data: { userId, ...account() } },
        { type: 'user.enrolled', data: { userId } },
      )
    given(userDecider, ada.invited).when(command).refuses('ERR_CONFLICT')
  })

  it('SGN-04 an account of a disabled provider is no sign-in method', () => {
    const past = [ada.invited, ada.added(), ada.enrolled, ada.linked()]
    given(userDecider, ...past)
      .when({ ...ada.removeMethod, enabledProviderIds: [] })
      .refuses('ERR_LAST_METHOD')
    given(userDecider, ...past)
      .when({ ...ada.unlinkAccount, enabledProviderIds: [] })
      .then(ada.unlinked())
  })
})
