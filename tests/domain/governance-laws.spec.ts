import { expect } from 'chai'
import type { EventOf, EventType, Recorded } from '../../domain/catalogue.ts'
import { brokenLaws } from '../support/api/governance-laws.ts'
import { at, id } from '../support/fixed.ts'

const [user, other] = [id('user', 1), id('user', 2)]
const [reports, payments] = [id('accessPackage', 1), id('accessPackage', 2)]
const groupId = id('group')

type Told = { [T in EventType]: readonly [type: T, data: object] }[EventType]

/** Events one second apart; each has only the data that the laws read. */
const logOf = (...events: readonly Told[]): readonly Recorded[] =>
  events.map(
    ([type, data], n) =>
      ({ type, data, position: String(n), metadata: { time: at(n) } }) as unknown as Recorded<
        EventOf<EventType>
      >,
  )

const created: readonly Told[] = [
  ['access_package.created', { packageId: reports, incompatiblePackageIds: [payments] }],
  ['access_package.created', { packageId: payments, incompatiblePackageIds: [] }],
]
const granted = (assignmentId: string, packageId: string, more: object = {}): Told => [
  'package_assignment.granted',
  { assignmentId, userId: user, packageId, ...more },
]
const ended = (assignmentId: string): Told => ['package_assignment.ended', { assignmentId, userId: user }]
const joined: Told = ['membership.granted', { groupId, userId: user, via: 'package', sourceId: 'a' }]
const requested: Told = ['access_request.created', { requestId: 'r', requesterId: user, userId: other }]
const approved = (approverId: string | null): Told => [
  'access_request.approved',
  { requestId: 'r', approverId },
]

describe('the laws of access packages', () => {
  const cases: readonly (readonly [what: string, events: readonly Told[], broken: number])[] = [
    ['one package', [...created, granted('a', reports)], 0],
    ['two incompatible ones', [...created, granted('a', reports), granted('b', payments)], 1],
    ['one after the other', [...created, granted('a', reports), ended('a'), granted('b', payments)], 0],
    [
      'after its expiry',
      [...created, granted('a', reports, { expiresAt: at(3) }), granted('b', payments)],
      0,
    ],
    [
      'before its expiry',
      [...created, granted('a', reports, { expiresAt: at(4) }), granted('b', payments)],
      1,
    ],
    ['a later start', [...created, granted('a', reports), granted('b', payments, { startsAt: at(9) })], 0],
    [
      'a start that is recorded',
      [
        ...created,
        granted('a', reports),
        granted('b', payments, { startsAt: at(4) }),
        ['package_assignment.started', { assignmentId: 'b' }],
      ],
      1,
    ],
    ['an approval', [requested, approved(id('user', 3))], 0],
    ['no approval needed', [requested, approved(null)], 0],
    ['an approval of the own request', [requested, approved(user)], 1],
    ['an approval of the own access', [requested, approved(other)], 1],
    ['a membership that remains', [...created, granted('a', reports), joined, ended('a')], 1],
    [
      'the memberships of a deleted user',
      [...created, granted('a', reports), joined, ended('a'), ['user.deleted', { userId: user }]],
      0,
    ],
    [
      'a membership that ends',
      [
        ...created,
        granted('a', reports),
        joined,
        ended('a'),
        ['membership.withdrawn', { groupId, userId: user, via: 'package', sourceId: 'a' }],
      ],
      0,
    ],
  ]
  for (const [what, events, broken] of cases)
    it(`GOV-01 ${what}: ${broken === 0 ? 'kept' : 'broken'}`, () => {
      expect(brokenLaws(logOf(...events))).to.have.length(broken)
    })
})
