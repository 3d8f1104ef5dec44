import { expect } from 'chai'
import { grantDecider, grantStream, type GrantCommand } from '../../domain/grant/decider.ts'
import type { GrantData, GrantEvent } from '../../domain/grant/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/given.ts'

const data: GrantData = {
  grantId: 'g1',
  applicationId: id('application'),
  userId: id('user'),
  sessionId: id('session'),
  scopes: ['openid'],
  authTime: at(0),
}
const issued: GrantEvent = { type: 'grant.issued', data }
const revoked = (reason: 'code_reused' | 'revoked'): GrantEvent => ({
  type: 'grant.revoked',
  data: { grantId: 'g1', applicationId: data.applicationId, userId: data.userId, reason },
})
const issue: GrantCommand = { type: 'issue', grant: data }
const revoke = (reason: 'code_reused' | 'revoked'): GrantCommand => ({
  type: 'revoke',
  grantId: 'g1',
  reason,
})

const grant = (...past: readonly GrantEvent[]) => given(grantDecider, ...past)

describe('A grant', () => {
  it('EVT-01 has a stream of its own', () => {
    expect(grantStream('g1')).to.equal('grant-g1')
  })
  it('OIDC-07 a code is good for one grant', () => {
    grant().when(issue).then(issued)
    grant(issued)
      .when(issue)
      .refuses('ERR_CONFLICT', /used before/)
    grant(issued, revoked('revoked')).when(issue).refuses('ERR_CONFLICT')
  })
  for (const reason of ['code_reused', 'revoked'] as const)
    it(`OIDC-07 OIDC-12 is revoked: ${reason}`, () => {
      grant(issued).when(revoke(reason)).then(revoked(reason))
    })
  it('OIDC-12 is revoked once', () => {
    grant(issued, revoked('revoked')).when(revoke('code_reused')).changesNothing()
  })
  it('OIDC-12 is not revoked where there is none', () => {
    grant().when(revoke('revoked')).refuses('ERR_NOT_FOUND')
  })
})
