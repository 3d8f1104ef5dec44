import { expect } from 'chai'
import {
  membershipDecider,
  membershipStream,
  type MembershipCommand,
} from '../../domain/membership/decider.ts'
import type { MembershipEvent, MembershipVia } from '../../domain/membership/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const subject = { groupId: id('group'), userId: id('user') }
const package1 = { via: 'package', sourceId: id('accessPackage', 1) } as const
const package2 = { via: 'package', sourceId: id('accessPackage', 2) } as const
type By = { via: MembershipVia; sourceId?: string }
const hand: By = { via: 'assigned' }
const byRule: By = { via: 'rule' }

const granted = (by: By, expiresAt?: string): MembershipEvent => ({
  type: 'membership.granted',
  data: { ...subject, ...by, ...(expiresAt === undefined ? {} : { expiresAt }) },
})
const changed = (by: By, expiresAt: string | null): MembershipEvent => ({
  type: 'membership.expiry_changed',
  data: { ...subject, ...by, expiresAt },
})
const withdrawn = (by: By, reason: 'removed' | 'expired' | 'rule_no_longer_matches'): MembershipEvent => ({
  type: 'membership.withdrawn',
  data: { ...subject, ...by, reason },
})
const grant = (by: By, expiresAt?: string): MembershipCommand => ({
  type: 'grant',
  ...subject,
  ...by,
  now: at(0),
  ...(expiresAt === undefined ? {} : { expiresAt }),
})
const withdraw = (by: By): MembershipCommand => ({
  type: 'withdraw',
  ...subject,
  ...by,
  reason: 'rule_no_longer_matches',
})
const expire = (now: string): MembershipCommand => ({ type: 'expire', ...subject, now })
const remove: MembershipCommand = { type: 'remove', ...subject }

const membership = (...past: readonly MembershipEvent[]) => given(membershipDecider, ...past)

describe('A membership', () => {
  it('ID-01 has its own stream', () => {
    expect(membershipStream(subject.groupId, subject.userId)).to.equal(
      `membership-${subject.groupId}:${subject.userId}`,
    )
  })

  describe('grant', () => {
    it('OIDC-18 starts, permanent or temporary', () => {
      membership().when(grant(hand)).then(granted(hand))
      membership()
        .when(grant(hand, at(60)))
        .then(granted(hand, at(60)))
    })
    it('API-05 is rejected for a time in the past', () => {
      for (const expiresAt of [at(0), at(-1)])
        membership()
          .when(grant(hand, expiresAt))
          .refuses('ERR_INVALID', /in the future/, '/expiresAt')
    })
    it('OIDC-18 a repeat changes nothing', () => {
      membership(granted(hand)).when(grant(hand)).changesNothing()
      membership(granted(hand, at(60)))
        .when(grant(hand, at(60)))
        .changesNothing()
    })
    it('GOV-01 changes the expiry', () => {
      membership(granted(hand))
        .when(grant(hand, at(60)))
        .then(changed(hand, at(60)))
      membership(granted(hand, at(60)))
        .when(grant(hand, at(30)))
        .then(changed(hand, at(30)))
      membership(granted(hand, at(60)))
        .when(grant(hand))
        .then(changed(hand, null))
    })
    it('EVT-05 starts again after it has expired, even before its end is recorded', () => {
      for (const lapsed of [at(0), at(-60)])
        membership(granted(hand, lapsed))
          .when(grant(hand, at(60)))
          .then(withdrawn(hand, 'expired'), granted(hand, at(60)))
      membership(granted(package1, at(-1)), granted(hand))
        .when(grant(package1))
        .then(withdrawn(package1, 'expired'), granted(package1))
    })
    it('OIDC-18 keeps each source: by hand, by rule, by each package', () => {
      membership(granted(hand)).when(grant(byRule)).then(granted(byRule))
      membership(granted(package1)).when(grant(package2)).then(granted(package2))
      membership(granted(package1))
        .when(grant({ via: 'package' }))
        .then(granted({ via: 'package' }))
    })
  })

  describe('remove', () => {
    it('API-04 is rejected if there is no membership', () => {
      membership().when(remove).refuses('ERR_NOT_FOUND')
      membership(granted(hand), withdrawn(hand, 'removed')).when(remove).refuses('ERR_NOT_FOUND')
    })
    it('API-04 is rejected for a membership by rule or package', () => {
      membership(granted(byRule))
        .when(remove)
        .refuses('ERR_CONFLICT', /rule or a package/)
      membership(granted(package1)).when(remove).refuses('ERR_CONFLICT')
    })
    it('API-01 ends every source that is not managed elsewhere', () => {
      const sources: readonly By[] = [
        hand,
        { via: 'scim' },
        { via: 'lifecycle', sourceId: id('lifecycleRule') },
      ]
      membership(...sources.map((by) => granted(by)))
        .when(remove)
        .then(...sources.map((by) => withdrawn(by, 'removed')))
    })
    it('OIDC-18 keeps the membership by rule', () => {
      membership(granted(byRule), granted(hand)).when(remove).then(withdrawn(hand, 'removed'))
    })
  })

  describe('withdraw', () => {
    it('OIDC-18 ends one source', () => {
      membership(granted(byRule), granted(hand))
        .when(withdraw(byRule))
        .then(withdrawn(byRule, 'rule_no_longer_matches'))
      membership(granted(package1), granted(package2))
        .when(withdraw(package2))
        .then(withdrawn(package2, 'rule_no_longer_matches'))
    })
    it('OIDC-18 changes nothing if there is no such source', () => {
      membership().when(withdraw(byRule)).changesNothing()
      membership(granted(hand), granted(package1)).when(withdraw(package2)).changesNothing()
    })
  })

  describe('expire', () => {
    it('GOV-01 ends an expired membership, from the exact time of its expiry', () => {
      const past = [granted(hand, at(60)), granted(package1, at(30)), granted(byRule)]
      membership(...past)
        .when(expire(at(29)))
        .changesNothing()
      membership(...past)
        .when(expire(at(30)))
        .then(withdrawn(package1, 'expired'))
      membership(...past)
        .when(expire(at(90)))
        .then(withdrawn(hand, 'expired'), withdrawn(package1, 'expired'))
      membership()
        .when(expire(at(90)))
        .changesNothing()
    })
  })
})
