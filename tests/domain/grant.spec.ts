import { expect } from 'chai'
import { allGrantsDecider, allGrantsStream } from '../../domain/grant/all.ts'
import { grantDecider, grantInForce, grantStream, type GrantCommand } from '../../domain/grant/decider.ts'
import type { GrantData, GrantEvent, GrantRevocationReason } from '../../domain/grant/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const parties = { grantId: 'g1', applicationId: id('application'), userId: id('user') }
const data: GrantData = {
  ...parties,
  sessionId: id('session'),
  scopes: ['openid'],
  apiResourceIds: [],
  authTime: at(0),
  grantType: 'authorization_code',
}
const issued: GrantEvent = { type: 'grant.issued', data }
const refreshed = (generation: number): GrantEvent => ({
  type: 'grant.refreshed',
  data: { ...parties, generation, refreshedAt: at(generation * 10) },
})
const revoked = (reason: GrantRevocationReason): GrantEvent => ({
  type: 'grant.revoked',
  data: { ...parties, reason },
})
const issue: GrantCommand = { type: 'issue', grant: data }
const refresh = (
  generation: number,
  options: { rotate?: boolean; graceSince?: number; now?: number } = {},
): GrantCommand => ({
  type: 'refresh',
  parties,
  generation,
  rotate: options.rotate ?? true,
  now: at(options.now ?? (generation + 1) * 10),
  graceSince: options.graceSince === undefined ? null : at(options.graceSince),
})
const revoke = (reason: GrantRevocationReason): GrantCommand => ({ type: 'revoke', parties, reason })

const grant = (...past: readonly GrantEvent[]) => given(grantDecider, ...past)

describe('A grant', () => {
  it('EVT-01 has its own stream', () => {
    expect(grantStream('g1')).to.equal('grant-g1')
  })
  it('OIDC-07 a code is valid for one grant', () => {
    grant().when(issue).then(issued)
    grant(issued)
      .when(issue)
      .refuses('ERR_CONFLICT', /already used/)
    grant(issued, revoked('revoked')).when(issue).refuses('ERR_CONFLICT')
  })
  for (const reason of ['code_reused', 'refresh_token_reused', 'revoked'] as const)
    it(`OIDC-07 OIDC-12 is revoked: ${reason}`, () => {
      grant(issued).when(revoke(reason)).then(revoked(reason))
    })
  it('OIDC-12 is revoked once', () => {
    grant(issued, revoked('revoked')).when(revoke('code_reused')).changesNothing()
  })
  it('OIDC-07 revoking the grant of an unused code changes nothing', () => {
    grant().when(revoke('code_reused')).changesNothing()
  })
  it('OIDC-12 is revoked if its first events were deleted or never existed', () => {
    grant().when(revoke('revoked')).then(revoked('revoked'))
  })

  it('OIDC-06 each refresh creates the next generation', () => {
    grant(issued).when(refresh(0)).then(refreshed(1))
    grant(issued, refreshed(1)).when(refresh(1)).then(refreshed(2))
  })
  it('OIDC-06 a generation continues from the last known one if the first ones were deleted', () => {
    grant(refreshed(7)).when(refresh(7)).then(refreshed(8))
  })
  it('OIDC-07 an older generation is reuse, and revokes the family', () => {
    grant(issued, refreshed(1)).when(refresh(0)).then(revoked('refresh_token_reused'))
    grant(issued, refreshed(1), refreshed(2)).when(refresh(0)).then(revoked('refresh_token_reused'))
    grant(issued, refreshed(1))
      .when(refresh(0, { rotate: false }))
      .then(revoked('refresh_token_reused'))
  })
  it('OIDC-07 without a grace period it is reuse even if the clock is behind', () => {
    grant(issued, refreshed(1))
      .when(refresh(0, { now: 5 }))
      .then(revoked('refresh_token_reused'))
  })
  it('OIDC-06 within the grace period the last generation is still accepted, and nothing older', () => {
    grant(issued, refreshed(1))
      .when(refresh(0, { graceSince: 9 }))
      .changesNothing()
    grant(issued, refreshed(1))
      .when(refresh(0, { graceSince: 10 }))
      .then(revoked('refresh_token_reused'))
    grant(issued, refreshed(1), refreshed(2))
      .when(refresh(0, { graceSince: 0 }))
      .then(revoked('refresh_token_reused'))
  })
  it('OIDC-06 without rotation the token remains valid', () => {
    grant(issued)
      .when(refresh(0, { rotate: false }))
      .changesNothing()
  })
  it('OIDC-07 nothing is refreshed once it is revoked, or without a grant', () => {
    grant(issued, revoked('revoked')).when(refresh(0)).refuses('ERR_CONFLICT')
    grant().when(refresh(0)).refuses('ERR_NOT_FOUND')
  })
  it('has a presumed state that equals the fold of its stream', () => {
    const { decide } = grantDecider
    expect(decide(refresh(1), grantInForce(1))).to.deep.equal({ events: [refreshed(2)] })
  })
  it('can be inspected without a change', () => {
    grant(issued).when({ type: 'inspect' }).changesNothing()
  })
})

describe('The grants of a user to an application', () => {
  it('OIDC-13 is revoked in one decision', () => {
    expect(allGrantsStream('app_1', 'usr_1')).to.equal('grants-app_1:usr_1')
    const { applicationId, userId } = parties
    const all = { applicationId, userId, reason: 'sign_out' } as const
    given(allGrantsDecider)
      .when({ type: 'revoke_all', ...all })
      .then({ type: 'grant.all_revoked', data: all })
  })
})
