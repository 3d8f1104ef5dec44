import { expect } from 'chai'
import fc from 'fast-check'
import { accessPackageDecider, plainPackage } from '../../domain/access-package/decider.ts'
import type { AccessPackageFields, ApprovalStage } from '../../domain/access-package/events.ts'
import { durationText } from '../../domain/duration-text.ts'
import { durationAfter, isDuration } from '../../domain/duration.ts'
import { packageAssignmentDecider } from '../../domain/package-assignment/decider.ts'
import { at, id } from '../support/fixed.ts'

const packageId = id('accessPackage')
const fields: AccessPackageFields = {
  ...plainPackage,
  name: 'Reports',
  grants: [{ type: 'group', groupId: id('group') }],
}
const stage: ApprovalStage = {
  approvers: { type: 'manager', ids: [] },
  mode: 'any',
  timeoutHours: 24,
  justificationRequired: false,
}

describe('ISO 8601 durations', () => {
  const valid: readonly (readonly [duration: string, from: string, to: string])[] = [
    ['P1D', '2026-01-31T10:00:00.123456Z', '2026-02-01T10:00:00.123456Z'],
    ['P1M', '2026-01-31T10:00:00.123456Z', '2026-02-28T10:00:00.123456Z'],
    ['P1M', '2028-01-31T10:00:00.123456Z', '2028-02-29T10:00:00.123456Z'],
    ['P1Y', '2028-02-29T10:00:00.123456Z', '2029-02-28T10:00:00.123456Z'],
    ['P1Y2M3W4DT5H6M', '2026-01-01T00:00:00.000000Z', '2027-03-26T05:06:00.000000Z'],
    ['PT8H', '2026-12-31T20:00:00.000000Z', '2027-01-01T04:00:00.000000Z'],
  ]
  for (const [duration, from, to] of valid)
    it(`GOV-01 ${duration} after ${from.slice(0, 10)}`, () => {
      expect(isDuration(duration)).to.equal(true)
      expect(durationAfter(from, duration)).to.equal(to)
    })

  for (const wrong of [
    '',
    'P',
    'PT',
    'P1',
    '1D',
    'P-1D',
    'P1.5D',
    'PT1S',
    'P0D',
    'P11Y',
    'P1D1M',
    'p1d',
    'P1DT',
  ])
    it(`GOV-01 ${JSON.stringify(wrong)} is none`, () => {
      expect(isDuration(wrong)).to.equal(false)
    })

  it('GOV-01 every text is a duration or not, and a duration always ends later', () => {
    const part = (unit: string) =>
      fc.option(fc.nat(400)).map((n) => (n === null ? '' : `${String(n)}${unit}`))
    const written = fc
      .tuple(part('Y'), part('M'), part('W'), part('D'), part('H'))
      .map(
        ([years, months, weeks, days, hours]) =>
          `P${years}${months}${weeks}${days}${hours === '' ? '' : `T${hours}`}`,
      )
    fc.assert(
      fc.property(fc.oneof(written, fc.string()), fc.integer({ min: 0, max: 10_000_000 }), (text, n) => {
        if (!isDuration(text)) return
        expect(durationAfter(at(n), text) > at(n)).to.equal(true)
        expect(durationText(text, 'en-GB')).not.to.match(/^P/)
      }),
    )
  })
})

describe('access packages', () => {
  const wrong: readonly (readonly [change: Partial<AccessPackageFields>, field: string])[] = [
    [{ grants: [fields.grants[0]!, fields.grants[0]!] }, '/grants/1'],
    [{ requesters: { scope: 'groups', groupIds: [] } }, '/requesters/groupIds'],
    [{ requesters: { scope: 'everyone', groupIds: [id('group')] } }, '/requesters/groupIds'],
    [{ approval: { required: true, stages: [] } }, '/approval/stages'],
    [
      { approval: { required: true, stages: [stage, { ...stage, approvers: { type: 'users', ids: [] } }] } },
      '/approval/stages/1/approvers/ids',
    ],
    [
      { approval: { required: true, stages: [{ ...stage, approvers: { type: 'manager', ids: ['x'] } }] } },
      '/approval/stages/0/approvers/ids',
    ],
    [{ incompatiblePackageIds: [packageId] }, '/incompatiblePackageIds'],
    [{ duration: { default: 'P1S', requesterMayChoose: false } }, '/duration/default'],
    [{ duration: { default: 'P2D', max: 'P1D', requesterMayChoose: true } }, '/duration/default'],
    [{ duration: { max: 'P1D', requesterMayChoose: true } }, '/duration/default'],
    [{ questions: [{ id: 'a', label: 'A?', type: 'choice', required: true }] }, '/questions/0/choices'],
    [
      { questions: [{ id: 'a', label: 'A?', type: 'text', choices: ['1', '2'], required: true }] },
      '/questions/0/choices',
    ],
    [
      {
        questions: [
          { id: 'a', label: 'A?', type: 'text', required: true },
          { id: 'a', label: 'B?', type: 'text', required: true },
        ],
      },
      '/questions/1/id',
    ],
    [
      { review: { everyDays: 90, reviewers: { type: 'users', ids: [], fallbackIds: [] } } },
      '/review/reviewers/ids',
    ],
    [
      { review: { everyDays: 90, reviewers: { type: 'owners', ids: [id('user')], fallbackIds: [] } } },
      '/review/reviewers/ids',
    ],
    [
      { review: { everyDays: 90, reviewers: { type: 'self', ids: [], fallbackIds: [] } } },
      '/review/reviewers/type',
    ],
  ]
  for (const [change, field] of wrong)
    it(`GOV-01 ${JSON.stringify(change).slice(0, 90)} is refused at ${field}`, () => {
      const command = { type: 'create', packageId, fields: { ...fields, ...change } } as const
      const decision = accessPackageDecider.decide(command, accessPackageDecider.initial)
      expect(decision).to.have.nested.property('refusal.field', field)
      expect(decision).to.have.nested.property('refusal.code', 'ERR_INVALID')
    })
})

describe('deliveries of access packages', () => {
  const userId = id('user')
  const incompatible = { packages: [], held: [] }
  const grant = {
    type: 'grant',
    userId,
    packageId,
    assignmentId: id('packageAssignment'),
    via: 'request',
    requestId: id('accessRequest'),
    incompatible,
  } as const
  const after = (...commands: readonly Parameters<typeof packageAssignmentDecider.decide>[0][]) =>
    commands.reduce((state, command) => {
      const decision = packageAssignmentDecider.decide(command, state)
      return 'events' in decision ? decision.events.reduce(packageAssignmentDecider.evolve, state) : state
    }, packageAssignmentDecider.initial)

  it('GOV-01 a delivery that is repeated after the assignment was ended does not bring it back', () => {
    const end = {
      type: 'end',
      userId,
      packageId,
      assignmentId: grant.assignmentId,
      reason: 'revoked',
    } as const
    const state = after({ ...grant, now: at(1) }, { ...end, now: at(2) }, { ...grant, now: at(3) })
    expect(state.open).to.deep.equal([])
  })

  it('GOV-01 an extension that is repeated after a later change does not undo that change', () => {
    const extend = { type: 'extend', userId, packageId, assignmentId: grant.assignmentId } as const
    const first = { ...extend, requestId: 'one', expiresAt: at(100), now: at(2) } as const
    const state = after({ ...grant, now: at(1) }, first, { ...extend, expiresAt: at(50), now: at(3) }, first)
    expect(state.open.map(({ expiresAt }) => expiresAt)).to.deep.equal([at(50)])
  })

  it('GOV-01 a scheduled assignment does not start when something incompatible came first', () => {
    const other = id('accessPackage', 2)
    const scheduled = { ...grant, startsAt: at(10), now: at(1) }
    const conflict = { packages: [{ packageId: other, name: 'Payments' }], held: [] }
    const state = after(
      scheduled,
      { ...grant, packageId: other, assignmentId: id('packageAssignment', 2), now: at(5) },
      {
        type: 'start',
        userId,
        packageId,
        assignmentId: grant.assignmentId,
        incompatible: conflict,
        now: at(10),
      },
    )
    expect(state.open.map((one) => one.packageId)).to.deep.equal([other])
  })
})
