import { expect } from 'chai'
import { PREVIOUS_AUTHORITY_SECONDS, sshAuthorityDecider } from '../../domain/ssh-authority/decider.ts'
import type { SshAuthorityEvent, SshAuthorityKeyData } from '../../domain/ssh-authority/events.ts'
import { VALIDITY } from '../../domain/ssh-principal-mapping/decider.ts'
import { at } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const key = (n: number): SshAuthorityKeyData => ({
  fingerprint: `SHA256:${String(n)}`,
  publicKey: `ssh-ed25519 ${String(n)}`,
  sealedPrivateKey: 'sealed',
})
const created = (n: number): SshAuthorityEvent => ({ type: 'ssh_authority_key.created', data: key(n) })
const activated = (
  n: number,
  previous: number | null = null,
  retiresAt: string | null = null,
): SshAuthorityEvent => ({
  type: 'ssh_authority_key.activated',
  data: {
    fingerprint: key(n).fingerprint,
    previousFingerprint: previous === null ? null : key(previous).fingerprint,
    previousRetiresAt: retiresAt,
  },
})
const retired = (n: number): SshAuthorityEvent => ({
  type: 'ssh_authority_key.retired',
  data: { fingerprint: key(n).fingerprint },
})

const ensure = { type: 'ensure', active: key(8), next: key(9) } as const
const rotate = (active: number, next: number) =>
  ({ type: 'rotate', active: key(active).fingerprint, next: key(next), retiresAt: at(100) }) as const
const retire = (n: number, now: string) => ({ type: 'retire', fingerprint: key(n).fingerprint, now }) as const

const begun = [created(1), activated(1), created(2)]
const rotated = [...begun, activated(2, 1, at(100)), created(3)]

describe('The SSH authority', () => {
  it('SSH-01 publishes a replaced key longer than any certificate that it signed is valid', () => {
    expect(PREVIOUS_AUTHORITY_SECONDS).to.be.greaterThan(VALIDITY.most)
  })
  it('SSH-01 begins with a key that signs immediately and the next one', () => {
    given(sshAuthorityDecider).when(ensure).then(created(8), activated(8), created(9))
  })
  it('SSH-01 creates its keys once, even if several instances try', () => {
    given(sshAuthorityDecider, ...begun)
      .when(ensure)
      .changesNothing()
  })
  it('SSH-01 rotates in one decision: the next key signs, the previous one stays published, and a new next one is created', () => {
    given(sshAuthorityDecider, ...begun)
      .when(rotate(1, 3))
      .then(activated(2, 1, at(100)), created(3))
  })
  it('SSH-01 rotates once for two requests that saw the same key', () => {
    given(sshAuthorityDecider, ...rotated)
      .when(rotate(1, 4))
      .changesNothing()
  })
  it('SSH-01 never starts to sign with a key that servers could not have fetched', () => {
    given(sshAuthorityDecider, created(1), activated(1))
      .when(rotate(1, 3))
      .refuses('ERR_CONFLICT', /not ready/)
  })
  it('SSH-01 revokes a former key once, and never one that signs', () => {
    const revoke = (n: number) =>
      ({ type: 'revoke', fingerprint: key(n).fingerprint, reason: 'stolen' }) as const
    const revoked: SshAuthorityEvent = {
      type: 'ssh_authority_key.revoked',
      data: { fingerprint: key(1).fingerprint, reason: 'stolen' },
    }
    given(sshAuthorityDecider, ...rotated)
      .when(revoke(1))
      .then(revoked)
    given(sshAuthorityDecider, ...rotated, retired(1))
      .when(revoke(1))
      .then(revoked)
    given(sshAuthorityDecider, ...rotated, revoked)
      .when(revoke(1))
      .changesNothing()
    for (const n of [2, 3])
      given(sshAuthorityDecider, ...rotated)
        .when(revoke(n))
        .refuses('ERR_CONFLICT', /Rotate/)
    given(sshAuthorityDecider, ...rotated)
      .when(revoke(9))
      .refuses('ERR_NOT_FOUND')
  })
  it('SSH-01 stops publishing a previous key when its time has ended, not before, and never another key', () => {
    given(sshAuthorityDecider, ...rotated)
      .when(retire(1, at(99)))
      .changesNothing()
    given(sshAuthorityDecider, ...rotated)
      .when(retire(1, at(100)))
      .then(retired(1))
    given(sshAuthorityDecider, ...rotated)
      .when(retire(2, at(1e6)))
      .changesNothing()
  })
})
