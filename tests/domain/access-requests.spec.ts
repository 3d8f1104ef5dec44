import { expect } from 'chai'
import type { ApprovalStage } from '../../domain/access-package/events.ts'
import { resolveApprovers } from '../../domain/access-request/approvers.ts'
import {
  accessRequestDecider,
  type AccessRequestCommand,
  type AccessRequestState,
} from '../../domain/access-request/decider.ts'
import { at, id } from '../support/fixed.ts'

const requestId = id('accessRequest')
const [asker, one, two, boss] = [1, 2, 3, 4].map((n) => id('user', n)) as [string, string, string, string]
const HOUR = 3600

const stage = (more: Partial<ApprovalStage> = {}): ApprovalStage => ({
  approvers: { type: 'users', ids: [one, two] },
  mode: 'any',
  timeoutHours: 1,
  justificationRequired: false,
  ...more,
})

const create = (stages: readonly ApprovalStage[]): AccessRequestCommand => ({
  type: 'create',
  requestId,
  request: {
    packageId: id('accessPackage'),
    packageName: 'Reports',
    requesterId: asker,
    userId: asker,
    requestType: 'grant',
    answers: {},
    stages,
  },
  approvers: { approverIds: [one, two], origin: 'stage' },
  now: at(0),
})

const approve = (approverId: string, eligible = [one, two]): AccessRequestCommand => ({
  type: 'approve',
  requestId,
  approverId,
  eligible,
  nextApprovers: { approverIds: [boss], origin: 'stage' },
  conflict: null,
  now: at(1),
})

const escalation = { approverIds: [boss], origin: 'escalation' } as const

/** Returns the types of the events, or the code of the refusal, of the last command. */
const last = (...commands: readonly AccessRequestCommand[]) => {
  let state: AccessRequestState = accessRequestDecider.initial
  let result: readonly string[] | string = []
  for (const command of commands) {
    const decision = accessRequestDecider.decide(command, state)
    if ('refusal' in decision) result = decision.refusal.code
    else {
      result = decision.events.map(({ type }) => type.replace('access_request.', ''))
      state = decision.events.reduce(accessRequestDecider.evolve, state)
    }
  }
  return { result, state }
}

describe('access requests', () => {
  const cases: readonly (readonly [
    what: string,
    commands: readonly AccessRequestCommand[],
    result: readonly string[] | string,
  ])[] = [
    ['without stages it is approved at once', [create([])], ['created', 'approved']],
    ['with a stage it waits', [create([stage()])], ['created', 'stage_opened']],
    ['one approver is enough', [create([stage()]), approve(one)], ['approved']],
    [
      'an approval opens the next stage',
      [create([stage(), stage()]), approve(one)],
      ['approved', 'stage_opened'],
    ],
    ['a second decision is too late', [create([stage()]), approve(one), approve(two)], 'ERR_CONFLICT'],
    [
      'the same approval again changes nothing',
      [create([stage({ mode: 'all' })]), approve(one), approve(one)],
      [],
    ],
    ['who asked cannot approve', [create([stage()]), approve(asker)], 'ERR_SELF_APPROVAL'],
    ['nobody else can approve', [create([stage()]), approve(boss)], 'ERR_FORBIDDEN'],
    ['an approver who left cannot approve', [create([stage()]), approve(one, [two])], 'ERR_FORBIDDEN'],
    [
      'nobody approves after the deadline',
      [create([stage()]), { ...approve(one), now: at(HOUR) } as AccessRequestCommand],
      'ERR_CONFLICT',
    ],
    [
      'when the last one who has not approved leaves, the approvals of the others are enough',
      [
        create([stage({ mode: 'all' })]),
        approve(one),
        {
          type: 'resolve',
          requestId,
          approvers: { approverIds: [one], origin: 'stage' },
          nextApprovers: { approverIds: [], origin: 'stage' },
          eligible: [one],
          now: at(2),
        },
      ],
      ['approvers_changed', 'approved'],
    ],
    [
      'before the deadline nothing times out',
      [create([stage({ escalateTo: boss })]), { type: 'time_out', requestId, escalation, now: at(HOUR - 1) }],
      [],
    ],
    [
      'at the deadline it escalates',
      [create([stage({ escalateTo: boss })]), { type: 'time_out', requestId, escalation, now: at(HOUR) }],
      ['approvers_changed'],
    ],
    [
      'it escalates once',
      [
        create([stage({ escalateTo: boss })]),
        { type: 'time_out', requestId, escalation, now: at(HOUR) },
        { type: 'time_out', requestId, escalation, now: at(2 * HOUR) },
      ],
      ['expired'],
    ],
    [
      'without escalation it expires',
      [create([stage()]), { type: 'time_out', requestId, escalation, now: at(HOUR) }],
      ['expired'],
    ],
    [
      'before half of the time nobody is reminded',
      [create([stage()]), { type: 'remind', requestId, now: at(HOUR / 2 - 1) }],
      [],
    ],
    [
      'after half of the time the approvers are reminded',
      [create([stage()]), { type: 'remind', requestId, now: at(HOUR / 2) }],
      ['reminded'],
    ],
    [
      'they are reminded once',
      [
        create([stage()]),
        { type: 'remind', requestId, now: at(HOUR / 2) },
        { type: 'remind', requestId, now: at(HOUR / 2 + 1) },
      ],
      [],
    ],
    [
      'nobody is reminded after the deadline',
      [create([stage()]), { type: 'remind', requestId, now: at(HOUR) }],
      [],
    ],
    [
      'after an escalation the others are reminded, too',
      [
        create([stage({ escalateTo: boss })]),
        { type: 'remind', requestId, now: at(HOUR / 2) },
        { type: 'time_out', requestId, escalation, now: at(HOUR) },
        { type: 'remind', requestId, now: at(1.5 * HOUR) },
      ],
      ['reminded'],
    ],
    [
      'the next stage is reminded for itself',
      [
        create([stage(), stage()]),
        { type: 'remind', requestId, now: at(HOUR / 2) },
        { ...approve(one), now: at(HOUR / 2) } as AccessRequestCommand,
        { type: 'remind', requestId, now: at(HOUR) },
      ],
      ['reminded'],
    ],
    ['nobody is reminded of a decided request', [create([]), { type: 'remind', requestId, now: at(0) }], []],
    [
      'a failed delivery can be repeated',
      [create([]), { type: 'fail', requestId, error: 'x' }, { type: 'retry', requestId }],
      ['retried'],
    ],
    ['only a failed one', [create([]), { type: 'retry', requestId }], 'ERR_CONFLICT'],
    [
      'it is delivered once',
      [
        create([]),
        { type: 'deliver', requestId, assignmentId: 'a' },
        { type: 'deliver', requestId, assignmentId: 'a' },
      ],
      [],
    ],
  ]
  it('GOV-01 only those are reminded who have not approved', () => {
    const { state } = last(create([stage({ mode: 'all' })]), approve(one))
    const decision = accessRequestDecider.decide({ type: 'remind', requestId, now: at(HOUR / 2) }, state)
    if ('refusal' in decision) throw new Error('refused')
    const subject = { requestId, packageId: id('accessPackage'), userId: asker }
    expect(decision.events).to.deep.equal([
      {
        type: 'access_request.reminded',
        data: { ...subject, stage: 1, approverIds: [two], expiresAt: at(HOUR) },
      },
    ])
  })

  for (const [what, commands, expected] of cases)
    it(`GOV-01 API-10 ${what}`, () => {
      expect(last(...commands).result).to.deep.equal(expected)
    })

  it('GOV-01 after an escalation only that user decides', () => {
    const { state } = last(create([stage({ escalateTo: boss })]), {
      type: 'time_out',
      requestId,
      escalation,
      now: at(HOUR),
    })
    expect([state.approverIds, state.status]).to.deep.equal([[boss], 'pending'])
  })

  it('API-10 whoever asks or gets the access is never among the approvers', () => {
    const nobody = { stage: [], escalation: [], owners: [], administrators: [] }
    const concerned = [asker, one]
    expect(resolveApprovers({ ...nobody, stage: [asker, one, two] }, concerned)).to.deep.equal({
      approverIds: [two],
      origin: 'stage',
    })
    const owned = { ...nobody, stage: [asker], escalation: [one], owners: [two], administrators: [boss] }
    expect(resolveApprovers(owned, concerned)).to.deep.equal({ approverIds: [two], origin: 'owners' })
    const alone = { ...nobody, administrators: [asker] }
    expect(resolveApprovers(alone, concerned).approverIds).to.deep.equal([])
  })
})
