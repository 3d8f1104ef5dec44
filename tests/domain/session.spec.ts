import { expect } from 'chai'
import { sessionDecider, sessionStream, type SessionCommand } from '../../domain/session/decider.ts'
import type { SessionEndReason, SessionEvent } from '../../domain/session/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const sessionId = id('session')
const userId = id('user')
const started: Extract<SessionEvent, { type: 'session.started' }> = {
  type: 'session.started',
  data: {
    sessionId,
    userId,
    tokenHash: 'aa',
    methods: ['passkey'],
    methodIds: [],
    amr: ['hwk'],
    authTime: at(0),
    expiresAt: at(43_200),
    strength: 'phishing_resistant',
    ip: null,
    userAgent: null,
    deviceId: null,
    location: null,
    risk: 'none',
  },
}
const ended = (reason: SessionEndReason): SessionEvent => ({
  type: 'session.ended',
  data: { sessionId, userId, reason },
})
const start: SessionCommand = { type: 'start', session: started.data }
const end = (reason: SessionEndReason): SessionCommand => ({ type: 'end', sessionId, reason })

const session = (...past: readonly SessionEvent[]) => given(sessionDecider, ...past)

describe('A session', () => {
  it('ID-01 has its own stream', () => {
    expect(sessionStream(sessionId)).to.equal(`session-${sessionId}`)
  })
  it('AUT-01 starts once: a ceremony is valid for one session', () => {
    session().when(start).then(started)
    session(started).when(start).refuses('ERR_CEREMONY_EXPIRED')
    session(started, ended('sign_out')).when(start).refuses('ERR_CEREMONY_EXPIRED')
  })
  it('AUD-01 CLI-01 records that it was created for development, without a sign-in', () => {
    const data = { ...started.data, methods: ['development'] as const }
    session()
      .when({ type: 'start', session: data })
      .then(
        { type: 'session.started', data },
        { type: 'session.created_for_development', data: { sessionId, userId } },
      )
  })
  for (const reason of [
    'sign_out',
    'user_revoked',
    'admin_revoked',
    'application_logout',
    'provider_logout',
  ] as const)
    it(`AUT-01 ends by ${reason}`, () => {
      session(started).when(end(reason)).then(ended(reason))
    })
  it('AUT-01 ends once', () => {
    session(started, ended('sign_out')).when(end('admin_revoked')).changesNothing()
  })
  const proof = {
    userId,
    tokenHash: 'bb',
    methods: ['authenticator_code'],
    methodIds: [],
    amr: ['otp'],
    authTime: at(60),
    expiresAt: at(43_260),
    strength: 'otp',
    risk: 'none',
  } as const
  const reauthenticated: SessionEvent = { type: 'session.reauthenticated', data: { sessionId, ...proof } }
  const again: SessionCommand = { type: 'reauthenticate', sessionId, proof }
  it('AUT-01 continues when its user signs in again', () => {
    session(started).when(again).then(reauthenticated)
    session(started, reauthenticated).when(again).then(reauthenticated)
    session(started, reauthenticated).when(end('sign_out')).then(ended('sign_out'))
  })
  it('AUT-01 does not continue for another user, nor once it has ended', () => {
    session(started)
      .when({ ...again, proof: { ...proof, userId: id('user', 2) } })
      .refuses('ERR_UNAUTHENTICATED')
    session(started, ended('sign_out')).when(again).refuses('ERR_UNAUTHENTICATED')
    session().when(again).refuses('ERR_UNAUTHENTICATED')
  })
  const spent: SessionEvent = {
    type: 'session.proof_spent',
    data: { sessionId, userId, intoSessionId: id('session', 2) },
  }
  const spend: SessionCommand = { type: 'spend_proof', sessionId, userId, intoSessionId: id('session', 2) }
  it('AUT-01 a proof is valid once: for a new session, or for an existing one', () => {
    session().when(spend).then(spent)
    session(spent).when(spend).refuses('ERR_CEREMONY_EXPIRED')
    session(spent).when(start).refuses('ERR_CEREMONY_EXPIRED')
    session(started).when(spend).refuses('ERR_CEREMONY_EXPIRED')
    session(spent).when(again).refuses('ERR_UNAUTHENTICATED')
    session(spent).when(end('sign_out')).refuses('ERR_NOT_FOUND')
  })
  it('API-04 is not ended if there is no session', () => {
    session().when(end('sign_out')).refuses('ERR_NOT_FOUND')
  })
})
