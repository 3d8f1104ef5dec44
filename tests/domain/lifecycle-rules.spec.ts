import { expect } from 'chai'
import fc from 'fast-check'
import { lifecycleRuleDecider, plainRule, privilegedBy } from '../../domain/lifecycle-rule/decider.ts'
import type {
  Authority,
  LifecycleAction,
  LifecycleRuleEvent,
  LifecycleRuleFields,
  LifecycleTrigger,
} from '../../domain/lifecycle-rule/events.ts'
import { instantAt, profileInstant } from '../../domain/lifecycle-rule/instants.ts'
import { filledIn, textProblem, type MessageValues } from '../../domain/lifecycle-rule/message.ts'
import { settingsProblem } from '../../domain/lifecycle-rule/settings.ts'
import { lifecycleRunDecider, type NewRun, type StepOutcome } from '../../domain/lifecycle-run/decider.ts'
import type { LifecycleRunEvent } from '../../domain/lifecycle-run/events.ts'
import { given, stored } from '../support/domain/given.ts'
import { lifecycleRuleCommands, lifecycleRunCommands } from '../support/domain/lifecycle.ts'
import { at, id } from '../support/fixed.ts'
import type { Decider } from '../../domain/decider.ts'

const ruleId = id('lifecycleRule')
const globalAdmin: Authority = { userId: id('user', 1), isGlobalAdmin: true }
const userAdmin: Authority = { userId: id('user', 2), isGlobalAdmin: false }
const nobodysGroup = { type: 'groups', ids: [], fallbackIds: [] } as const
const reviewByNobody = {
  ...({ type: 'start_review', reviewers: nobodysGroup } as const),
  ...{ durationDays: 14, continueOnError: true },
}
const suspend: LifecycleAction = { type: 'suspend', continueOnError: true }
const fields: LifecycleRuleFields = {
  ...plainRule,
  name: 'Leavers',
  trigger: { type: 'on_end_date' },
  actions: [suspend],
}

describe('Lifecycle rules at a time of day', () => {
  const cases: readonly (readonly [what: string, date: string, time: string, zone: string, utc: string])[] = [
    ['in winter', '2026-01-15', '17:00', 'Europe/Berlin', '2026-01-15T16:00:00.000000Z'],
    ['in summer', '2026-07-15', '17:00', 'Europe/Berlin', '2026-07-15T15:00:00.000000Z'],
    [
      'on the day that clocks go forward',
      '2026-03-29',
      '17:00',
      'Europe/Berlin',
      '2026-03-29T15:00:00.000000Z',
    ],
    ['before they do', '2026-03-29', '01:59', 'Europe/Berlin', '2026-03-29T00:59:00.000000Z'],
    ['in the hour that is skipped', '2026-03-29', '02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000000Z'],
    ['in the hour that happens twice', '2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000000Z'],
    ['after it', '2026-10-25', '03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000000Z'],
    [
      'where clocks go forward at midnight',
      '2026-09-06',
      '00:30',
      'America/Santiago',
      '2026-09-06T04:30:00.000000Z',
    ],
    ['in New York on such a day', '2027-03-14', '17:00', 'America/New_York', '2027-03-14T21:00:00.000000Z'],
    ['with half an hour', '2026-05-01', '17:00', 'Asia/Kolkata', '2026-05-01T11:30:00.000000Z'],
    ['east of the date line', '2026-05-01', '09:00', 'Pacific/Kiritimati', '2026-04-30T19:00:00.000000Z'],
    ['on a leap day', '2028-02-29', '00:00', 'UTC', '2028-02-29T00:00:00.000000Z'],
    [
      'in a zone that does not exist, as in UTC',
      '2026-05-01',
      '09:00',
      'Mars/Base',
      '2026-05-01T09:00:00.000000Z',
    ],
  ]
  for (const [what, date, time, zone, utc] of cases)
    it(`GOV-03 ${time} ${what} is one instant`, () => {
      expect(instantAt(date, time, zone)).to.equal(utc)
    })

  it('GOV-03 a date that does not exist has no instant', () => {
    for (const date of ['2026-02-30', '2026-13-01', 'soon', '2026-1-1', ''])
      expect(instantAt(date, '09:00', 'UTC'), date).to.equal(null)
  })

  it('GOV-03 days count from the date of the profile, in the zone of the user, else of the trigger, else in UTC', () => {
    const before = { type: 'days_before_start', days: 3, timeZone: 'Asia/Tokyo' } as const
    expect(profileInstant(before, '2026-03-02', null)).to.equal('2026-02-27T00:00:00.000000Z')
    expect(profileInstant(before, '2026-03-02', 'Europe/Berlin')).to.equal('2026-02-27T08:00:00.000000Z')
    expect(profileInstant(before, '2026-03-02', 'nowhere')).to.equal('2026-02-27T00:00:00.000000Z')
    expect(profileInstant({ type: 'days_after_start', days: 1 }, '2026-12-31', null)).to.equal(
      '2027-01-01T09:00:00.000000Z',
    )
    expect(profileInstant({ type: 'on_end_date' }, '2026-12-31', null)).to.equal(
      '2026-12-31T17:00:00.000000Z',
    )
  })

  it('GOV-03 a local time is what the clock there shows, unless it is skipped; later times are never earlier', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Africa/Casablanca',
    ]
    const minutes = fc.integer({ min: 0, max: 1439 })
    const time = (minute: number): string =>
      `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2024-01-01'), max: new Date('2032-01-01'), noInvalidDate: true }),
        minutes,
        fc.constantFrom(...zones),
        (day, minute, zone) => {
          const date = day.toISOString().slice(0, 10)
          const instant = instantAt(date, time(minute), zone) ?? ''
          const shown = new Date(instant).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 16)
          const wanted = `${date} ${time(minute)}`
          expect(shown >= wanted, `${shown} ${wanted}`).to.equal(true)
          expect(Date.parse(`${shown}Z`) - Date.parse(`${wanted}Z`)).to.be.at.most(3_600_000)
        },
      ),
    )
  })
})

describe('Lifecycle rules', () => {
  const created = (by: Authority, enabled = true): LifecycleRuleEvent => ({
    type: 'lifecycle_rule.created',
    data: { ruleId, enabled, by, ...fields },
  })

  it('GOV-03 are created, switched, paused and deleted', () => {
    given(lifecycleRuleDecider)
      .when({ type: 'create', ruleId, fields, enabled: true, by: userAdmin })
      .then(created(userAdmin))
    given(lifecycleRuleDecider, created(userAdmin))
      .when({ type: 'enable', ruleId, by: userAdmin })
      .changesNothing()
    given(lifecycleRuleDecider, created(userAdmin))
      .when({ type: 'pause', ruleId, users: 5000, started: 3 })
      .then({ type: 'lifecycle_rule.paused', data: { ruleId, users: 5000, started: 3, limit: 100 } })
    given(lifecycleRuleDecider, created(userAdmin, false))
      .when({ type: 'pause', ruleId, users: 5000, started: 3 })
      .changesNothing()
    given(lifecycleRuleDecider, created(userAdmin), {
      type: 'lifecycle_rule.paused',
      data: { ruleId, users: 5000, started: 3, limit: 100 },
    })
      .when({ type: 'enable', ruleId, by: globalAdmin })
      .then({ type: 'lifecycle_rule.enabled', data: { ruleId, by: globalAdmin } })
    given(lifecycleRuleDecider, created(userAdmin), { type: 'lifecycle_rule.deleted', data: { ruleId } })
      .when({ type: 'enable', ruleId, by: globalAdmin })
      .refuses('ERR_NOT_FOUND')
  })

  it('AUT-05 act on accounts with a role only if global administrators saved and enabled them', () => {
    const { initial, evolve } = lifecycleRuleDecider
    const after = (...events: readonly LifecycleRuleEvent[]) => privilegedBy(events.reduce(evolve, initial))
    const updated = (by: Authority): LifecycleRuleEvent => ({
      type: 'lifecycle_rule.updated',
      data: { ruleId, changes: [], by },
    })
    const enabled = (by: Authority): LifecycleRuleEvent => ({
      type: 'lifecycle_rule.enabled',
      data: { ruleId, by },
    })
    expect(after(created(globalAdmin))).to.deep.equal([globalAdmin.userId])
    expect(after(created(userAdmin))).to.equal(null)
    expect(after(created(globalAdmin), updated(userAdmin))).to.equal(null)
    expect(after(created(userAdmin), updated(globalAdmin))).to.equal(null)
    expect(after(created(globalAdmin, false), enabled(userAdmin))).to.equal(null)
    expect(after(created(userAdmin), updated(globalAdmin), enabled(globalAdmin))).to.deep.equal([
      globalAdmin.userId,
    ])
  })

  it('AUT-05 a global administrator takes responsibility by saving a rule as it is', () => {
    given(lifecycleRuleDecider, created(userAdmin))
      .when({ type: 'update', ruleId, fields: {}, by: globalAdmin })
      .then({ type: 'lifecycle_rule.updated', data: { ruleId, changes: [], by: globalAdmin } })
    given(lifecycleRuleDecider, created(globalAdmin))
      .when({ type: 'update', ruleId, fields: {}, by: userAdmin })
      .changesNothing()
  })

  const wrong: readonly (readonly [what: string, settings: Partial<LifecycleRuleFields>, field: string])[] = [
    ['a group trigger without a group', { trigger: { type: 'group_joined' } }, '/trigger/groupId'],
    ['days that do not count', { trigger: { type: 'user_created', days: 1 } }, '/trigger/days'],
    ['no days', { trigger: { type: 'inactive_days' } }, '/trigger/days'],
    ['no day of inactivity', { trigger: { type: 'inactive_days', days: 0 } }, '/trigger/days'],
    ['a time of day of an event', { trigger: { type: 'user_created', atTime: '09:00' } }, '/trigger/atTime'],
    ['an unknown zone', { trigger: { type: 'on_end_date', timeZone: 'Mars/Base' } }, '/trigger/timeZone'],
    [
      'an unknown attribute',
      { trigger: { type: 'attribute_changed', attribute: 'roles' } },
      '/trigger/attribute',
    ],
    ['no conditions', { conditions: { match: 'all', conditions: [] } }, '/conditions/conditions'],
    ['no actions', { actions: [] }, '/actions'],
    [
      'a wrong duration',
      {
        actions: [
          { type: 'assign_package', packageId: id('accessPackage'), duration: 'P0D', continueOnError: true },
        ],
      },
      '/actions/0/duration',
    ],
    ['a review without reviewers', { actions: [reviewByNobody] }, '/actions/0/reviewers/ids'],
    [
      'readers of an email to the manager',
      {
        actions: [
          suspend,
          {
            type: 'send_email',
            to: 'manager',
            userIds: [id('user')],
            subject: 'x',
            text: 'x',
            continueOnError: true,
          },
        ],
      },
      '/actions/1/userIds',
    ],
  ]
  for (const [what, settings, field] of wrong)
    it(`GOV-03 refuse ${what}`, () => {
      expect(settingsProblem({ ...fields, ...settings })?.field).to.equal(field)
    })

  it('GOV-03 accept every trigger with its parameters', () => {
    const triggers: readonly LifecycleTrigger[] = [
      { type: 'user_created' },
      { type: 'attribute_changed' },
      { type: 'attribute_changed', attribute: 'custom.site' },
      { type: 'group_left', groupId: id('group') },
      { type: 'days_before_end', days: 0, atTime: '08:00', timeZone: 'Europe/Berlin' },
      { type: 'on_end_date' },
      { type: 'inactive_days', days: 90 },
      { type: 'assignment_expiring', days: 7 },
    ]
    for (const trigger of triggers)
      expect(settingsProblem({ ...fields, trigger }), trigger.type).to.equal(null)
  })
})

describe('Emails of lifecycle rules', () => {
  for (const text of [
    'Open https://evil.example/login',
    'Go to www.evil.example',
    'Write to mailto:x@evil.example',
    'See evil.com now',
    'See login.evil.io/reset',
    '{{user.password}}',
    '{{account.url}}.evil.com',
  ])
    it(`GOV-03 refuse ${JSON.stringify(text)}`, () => {
      expect(textProblem(text)).to.be.a('string')
    })
  for (const text of [
    'Welcome, {{user.name}}. You start on {{ user.startDate }}.',
    'Set up your account: {{account.url}}',
    'The laptop costs 1.200 euros, e.g. a good one. Ask Mr. Smith.',
  ])
    it(`GOV-03 accept ${JSON.stringify(text)}`, () => {
      expect(textProblem(text)).to.equal(null)
    })

  it('GOV-03 values are not searched for placeholders', () => {
    const values = { 'user.name': '{{user.email}}', 'user.email': 'secret' } as unknown as MessageValues
    expect(filledIn('Hello {{user.name}}', values)).to.equal('Hello {{user.email}}')
  })
})

describe('Runs of lifecycle rules', () => {
  const subject = { runId: id('run'), ruleId, userId: id('user') }
  const run = (continueOnError: boolean, depth = 1): NewRun => ({
    trigger: { type: 'user_created', key: 'e', eventId: 'e', at: at(0) },
    dueAt: at(0),
    actions: [
      { type: 'suspend', continueOnError },
      { type: 'delete', continueOnError: true },
    ],
    depth,
    privilegedBy: null,
  })
  const created = (more: NewRun): LifecycleRunEvent => ({
    type: 'lifecycle_run.created',
    data: { ...subject, ...more },
  })
  const ok: StepOutcome = { status: 'succeeded' }
  const failed: StepOutcome = { status: 'failed', error: { code: 'ERR_CONFLICT', message: 'No' } }
  const step = (number: number, outcome: StepOutcome): LifecycleRunEvent => ({
    type: 'lifecycle_run.step_ended',
    data: {
      ...{ ...subject, step: number, action: number === 0 ? 'suspend' : 'delete', status: outcome.status },
      ...('error' in outcome ? { error: outcome.error } : {}),
    },
  })

  it('GOV-03 begin once', () => {
    given(lifecycleRunDecider)
      .when({ type: 'create', ...subject, run: run(true) })
      .then(created(run(true)))
    given(lifecycleRunDecider, created(run(true)))
      .when({ type: 'create', ...subject, run: run(false, 3) })
      .changesNothing()
  })

  it('GOV-03 are skipped beyond the depth of five', () => {
    given(lifecycleRunDecider)
      .when({ type: 'create', ...subject, run: run(true, 5) })
      .then(created(run(true, 5)))
    given(lifecycleRunDecider)
      .when({ type: 'create', ...subject, run: run(true, 6) })
      .then(created(run(true, 6)), { type: 'lifecycle_run.skipped', data: { ...subject, reason: 'loop' } })
  })

  it('GOV-03 record each step once, in order, whoever repeats it', () => {
    given(lifecycleRunDecider, created(run(true)))
      .when({ type: 'end_step', ...subject, step: 1, outcome: ok })
      .changesNothing()
    given(lifecycleRunDecider, created(run(true)), step(0, ok))
      .when({ type: 'end_step', ...subject, step: 0, outcome: failed })
      .changesNothing()
    given(lifecycleRunDecider, created(run(true)), step(0, ok))
      .when({ type: 'end_step', ...subject, step: 1, outcome: failed })
      .then(step(1, failed), {
        type: 'lifecycle_run.finished',
        data: { ...subject, status: 'partially_failed' },
      })
  })

  it('GOV-03 stop after a failure if the action says so', () => {
    given(lifecycleRunDecider, created(run(false)))
      .when({ type: 'end_step', ...subject, step: 0, outcome: failed })
      .then(step(0, failed), { type: 'lifecycle_run.finished', data: { ...subject, status: 'failed' } })
    given(lifecycleRunDecider, created(run(true)))
      .when({ type: 'end_step', ...subject, step: 0, outcome: failed })
      .then(step(0, failed))
  })

  it('GOV-03 that have begun are not skipped', () => {
    given(lifecycleRunDecider, created(run(true)))
      .when({ type: 'begin', ...subject, skip: 'rule_not_enabled' })
      .then({ type: 'lifecycle_run.skipped', data: { ...subject, reason: 'rule_not_enabled' } })
    given(lifecycleRunDecider, created(run(true)), step(0, ok))
      .when({ type: 'begin', ...subject, skip: 'rule_not_enabled' })
      .changesNothing()
  })

  it('GOV-03 send the email of a step in the append that records the step', () => {
    const email = { recipientIds: [id('user', 4)], subject: 'x', text: 'y' }
    given(lifecycleRunDecider, created(run(true)))
      .when({ type: 'end_step', ...subject, step: 0, outcome: { status: 'succeeded', email } })
      .then({ type: 'lifecycle_run.email_sent', data: { ...subject, step: 0, ...email } }, step(0, ok))
  })
})

describe('Random histories of lifecycle rules', () => {
  /** Plays commands, and checks each step and that a replay of what is stored gives the same state. */
  const play = <State, Command, Event>(
    { initial, evolve, decide }: Decider<State, Command, Event>,
    commands: fc.Arbitrary<Command>,
    check: (before: State, events: readonly Event[]) => void = () => undefined,
  ): void => {
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 25, size: 'max' }), (list) => {
        const log: Event[] = []
        let state = initial
        for (const command of list) {
          const decision = decide(command, state)
          const events = 'refusal' in decision ? [] : decision.events
          check(state, events)
          log.push(...events)
          state = events.reduce(evolve, state)
        }
        expect(stored(log).reduce(evolve, initial)).to.deep.equal(state)
      }),
      { numRuns: 200 },
    )
  }

  it('EVT-03 GOV-03 of rules: only an enabled rule is paused', () => {
    play(lifecycleRuleDecider, lifecycleRuleCommands, ({ status }, events) => {
      if (events.some(({ type }) => type === 'lifecycle_rule.paused')) expect(status).to.equal('enabled')
    })
  })

  it('EVT-03 GOV-03 of runs: steps end once and in order, and nothing follows the end', () => {
    play(lifecycleRunDecider, lifecycleRunCommands, ({ status, steps }, events) => {
      const ended = events.flatMap((event) =>
        event.type === 'lifecycle_run.step_ended' ? [event.data.step] : [],
      )
      expect(ended).to.deep.equal(ended.length === 0 ? [] : [steps.length])
      if (!['none', 'scheduled', 'running'].includes(status)) expect(events).to.deep.equal([])
    })
  })
})
