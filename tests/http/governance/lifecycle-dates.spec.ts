import { expect } from 'chai'
import { lifecycleDates } from '../../../adapters/application/reactions/lifecycle-dates.ts'
import { lifecycleRuns } from '../../../adapters/application/reactions/lifecycle-runs.ts'
import type { Clock } from '../../../adapters/kernel/clock.ts'
import { secondsAfter, type Instant } from '../../../domain/time.ts'
import { accessWorld, type AccessWorld, type Json } from '../../support/api/access-packages.ts'
import { audited } from '../../support/audit/audit.ts'
import { eager, provisionedApplication } from '../../support/scim/provisioning.ts'
import { scimApp } from '../../support/scim/scim-app.ts'
import {
  freePort,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** A clock that shows one time, from which it never goes on by itself. */
const clockAt = (now: Instant): Clock => ({ now: () => now, in: (seconds) => secondsAfter(now, seconds) })

/** What an instance would do at a time: its duties, one round each. */
const roundAt = async ({ core: { services } }: TestService, now: Instant): Promise<void> => {
  const there = { ...services, clock: clockAt(now) }
  await lifecycleDates(there)(false)
  await lifecycleDates(there)(true)
  await lifecycleRuns(there)()
}

describe('GOV-03 lifecycle rules by date', function () {
  this.timeout(90_000)
  let place: TestPlace
  let w: AccessWorld
  let other: TestService
  let names = 0
  before(async () => {
    place = await testPlace()
    w = await accessWorld(place, { provisioning: eager })
    // A second instance on the same database.
    const listen = { host: '127.0.0.1', port: await freePort() }
    other = await testService({ ...place, config: { ...place.config, listen } })
  })
  after(async () => {
    await other.stop()
    await w.service.stop()
    await place.drop()
  })

  const rule = async (settings: object): Promise<string> =>
    (await w.ok('POST', '/lifecycle/rules', { name: `Rule ${String(++names)}`, enabled: true, ...settings }))
      .id
  const department = (): string => `Department ${String(++names)}`
  const only = (value: string) => ({
    conditions: { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value }] },
  })
  const runsOf = (ruleId: string): Promise<Json> => w.ok('GET', `/lifecycle/runs?ruleId=${ruleId}`)
  const statusOf = async (userId: string): Promise<string> => (await w.ok('GET', `/users/${userId}`)).status
  const remove = (ruleId: string): Promise<Json> => w.ok('DELETE', `/lifecycle/rules/${ruleId}`)

  it('GOV-03 SCX-02 a leaver at 17:00 is out a minute later where they are, of provisioned applications, too', async () => {
    const app = await scimApp()
    const application = await provisionedApplication(w.service)
    await application.configure(app)
    const dept = department()
    const ruleId = await rule({
      ...{ category: 'leaver', trigger: { type: 'on_end_date' }, ...only(dept) },
      actions: [{ type: 'suspend' }, { type: 'remove_from_all_groups' }],
    })
    // Two of them on days on which clocks change there.
    for (const [timeZone, endDate, utc] of [
      ['Asia/Kolkata', '2027-03-12', '2027-03-12T11:30:00.000000Z'],
      ['America/New_York', '2027-03-14', '2027-03-14T21:00:00.000000Z'],
      ['Europe/Berlin', '2027-03-28', '2027-03-28T15:00:00.000000Z'],
    ] as const) {
      const { userId, email } = await application.member({ timeZone, endDate, department: dept })
      await until(() => [...app.users.values()].some((one) => one.userName === email && one.active), 20_000)
      const [scheduled] = await w.ok('GET', `/users/${userId}/lifecycle`)
      expect(scheduled).to.deep.include({ ruleId, trigger: 'on_end_date', at: utc })
      await roundAt(w.service, secondsAfter(utc, -1))
      expect(await statusOf(userId), timeZone).to.equal('active')
      await roundAt(w.service, secondsAfter(utc, 5))
      expect(await statusOf(userId), timeZone).to.equal('suspended')
      await until(
        () => [...app.users.values()].every((one) => one.userName !== email || !one.active),
        20_000,
        'the push',
      )
      // Clocks that are put back, and the next round, repeat nothing.
      await w.ok('POST', `/users/${userId}/reactivate`)
      for (const seconds of [-30, 10, 3600]) await roundAt(w.service, secondsAfter(utc, seconds))
      expect(await statusOf(userId), timeZone).to.equal('active')
    }
    expect(await runsOf(ruleId)).to.have.length(3)
    await remove(ruleId)
    await app.stop()
  })

  it('GOV-03 what was missed happens once, in order, whichever instance comes first', async () => {
    const [dept, groupId] = [department(), await w.group()]
    const add = await rule({
      ...{ trigger: { type: 'days_before_start', days: 2 }, ...only(dept) },
      actions: [{ type: 'add_to_group', groupId }],
    })
    const suspend = await rule({
      ...{ trigger: { type: 'on_end_date', atTime: '12:00' }, ...only(dept), delayMinutes: 60 },
      actions: [{ type: 'suspend' }],
    })
    const dates = { startDate: '2027-05-03', endDate: '2027-05-10', department: dept }
    const people = [await w.service.person(dates), await w.service.person(dates)]
    // Ten days without the service, then two instances at once.
    const now = '2027-05-12T00:00:00.000000Z'
    await Promise.all([roundAt(w.service, now), roundAt(other, now)])
    await roundAt(other, now)
    for (const { userId } of people) {
      const runs = await w.ok('GET', `/lifecycle/runs?userId=${userId}`)
      expect(runs.map((run: Json) => [run.ruleId, run.status])).to.have.deep.members([
        [add, 'succeeded'],
        [suspend, 'succeeded'],
      ])
      const byRule = new Map<string, Json>(runs.map((run: Json) => [run.ruleId, run]))
      expect(byRule.get(add).dueAt).to.equal('2027-05-01T09:00:00.000000Z')
      expect(byRule.get(suspend).dueAt).to.equal('2027-05-10T13:00:00.000000Z')
      expect(byRule.get(add).finishedAt < byRule.get(suspend).finishedAt).to.equal(true)
    }
    await remove(add)
    await remove(suspend)
  })

  it('GOV-03 a date that changes during the delay is not acted on; the new date is', async () => {
    const dept = department()
    const ruleId = await rule({
      ...{ trigger: { type: 'on_end_date' }, ...only(dept), delayMinutes: 120 },
      actions: [{ type: 'suspend' }],
    })
    const { userId } = await w.service.person({ endDate: '2027-06-01', department: dept })
    await roundAt(w.service, '2027-06-01T17:30:00.000000Z')
    expect((await runsOf(ruleId))[0].status).to.equal('scheduled')
    await w.ok('PATCH', `/users/${userId}`, { endDate: '2027-06-03' })
    await roundAt(w.service, '2027-06-01T19:30:00.000000Z')
    expect((await runsOf(ruleId))[0]).to.deep.include({ status: 'skipped', skipReason: 'no_longer_applies' })
    await roundAt(w.service, '2027-06-03T19:30:00.000000Z')
    expect(await statusOf(userId)).to.equal('suspended')
    await remove(ruleId)
  })

  it('GOV-03 too many leavers at once pause the rule before one of them is touched, until it is enabled again', async () => {
    const dept = department()
    const ruleId = await rule({
      ...{ trigger: { type: 'on_end_date' }, ...only(dept), maxPerRun: 2 },
      actions: [{ type: 'suspend' }],
    })
    const fields = { endDate: '2027-07-01', department: dept }
    const people = [
      await w.service.person(fields),
      await w.service.person(fields),
      await w.service.person(fields),
    ]
    const now = '2027-07-01T17:00:01.000000Z'
    await roundAt(w.service, now)
    const path = `/lifecycle/rules/${ruleId}`
    await until(async () => (await w.ok('GET', path)).status === 'paused_by_guard')
    expect(await w.ok('GET', path)).to.deep.include({ pausedUsers: 3, pausedStarted: 0, enabled: false })
    expect(await runsOf(ruleId)).to.deep.equal([])
    await audited(w.service)
    const audit = await w.ok(
      'GET',
      `/audit?targetType=lifecycle_rule&targetId=${ruleId}&action=lifecycle_rule.pause`,
    )
    expect(audit[0].summary).to.match(/3 users are due, and at most 2 may be/)
    await w.ok('PATCH', path, { maxPerRun: 3 })
    await w.ok('POST', `${path}/enable`)
    await roundAt(w.service, now)
    for (const { userId } of people) expect(await statusOf(userId)).to.equal('suspended')
    await remove(ruleId)
  })

  it('GOV-03 inactive users and expiring access packages are found once', async () => {
    const dept = department()
    const inactive = await rule({
      ...{ trigger: { type: 'inactive_days', days: 30 }, ...only(dept) },
      actions: [{ type: 'end_sessions' }],
    })
    const expiring = await rule({
      ...{ trigger: { type: 'assignment_expiring', days: 7 }, ...only(dept) },
      actions: [{ type: 'send_email', to: 'user', subject: 'Access of {{user.name}} ends', text: 'Soon.' }],
    })
    const { userId } = await w.service.person({ department: dept })
    const pkg = await w.accessPackage()
    const expiresAt = '2027-08-10T00:00:00.000000Z'
    await w.ok('POST', `/access-packages/${String(pkg.id)}/assignments`, { userId, expiresAt })
    await roundAt(w.service, '2027-08-02T23:59:59.000000Z')
    expect(await runsOf(expiring)).to.deep.equal([])
    for (const now of ['2027-08-03T00:00:01.000000Z', '2027-08-03T00:00:06.000000Z'])
      await roundAt(w.service, now)
    expect((await runsOf(expiring)).map(({ status }: Json) => status)).to.deep.equal(['succeeded'])
    expect(await runsOf(inactive)).to.have.length(0)
    const soon = secondsAfter(w.service.core.services.clock.now(), 31 * 86_400)
    for (const now of [soon, secondsAfter(soon, 5)]) await roundAt(w.service, now)
    expect(await runsOf(inactive)).to.have.length(1)
    await remove(inactive)
    await remove(expiring)
  })

  it('GOV-03 EVT-03 a run that is interrupted after any of its commands is finished, and does nothing twice', async () => {
    const [dept, groupId] = [department(), await w.group()]
    const pkg = await w.accessPackage()
    const ruleId = await rule({
      ...{ trigger: { type: 'on_end_date' }, ...only(dept) },
      actions: [
        { type: 'add_to_group', groupId },
        { type: 'assign_package', packageId: pkg.id, duration: 'P1Y' },
        { type: 'send_email', to: 'user', subject: 'Bye, {{user.name}}', text: 'Thank you.' },
        { type: 'reset_methods' },
        { type: 'suspend' },
      ],
    })
    const { services } = w.service.core
    const clock = clockAt('2027-09-01T17:00:01.000000Z')
    /** Carries out a user's run; the process stops after some commands, and another instance goes on. */
    const interruptedAfter = async (commands: number): Promise<{ reached: boolean; actions: string[] }> => {
      const { userId } = await w.service.person({ endDate: '2027-09-01', department: dept })
      await lifecycleDates({ ...services, clock })(false)
      let left = commands
      const handle: typeof services.handle = async (...command) => {
        const handled = await services.handle(...command)
        if (--left === 0) throw new Error('interrupted')
        return handled
      }
      const reached = await lifecycleRuns({ ...services, clock, handle })().then(
        () => false,
        () => true,
      )
      await lifecycleRuns({ ...other.core.services, clock })()
      const [run] = await w.ok('GET', `/lifecycle/runs?userId=${userId}&ruleId=${ruleId}`)
      expect(run.status, String(commands)).to.equal('succeeded')
      expect(await statusOf(userId)).to.equal('suspended')
      await audited(w.service)
      const entries = await w.ok('GET', `/audit?correlationId=${String(run.id)}`)
      return { reached, actions: entries.map(({ action }: Json) => action).sort() }
    }
    const { actions: whole } = await interruptedAfter(100)
    expect(whole).to.include.members(['user.suspend', 'user.methods.reset', 'lifecycle_rule.email.send'])
    for (let commands = 1; ; commands++) {
      const { reached, actions } = await interruptedAfter(commands)
      expect(actions, String(commands)).to.deep.equal(whole)
      if (!reached) break
      expect(commands, 'commands of one run').to.be.lessThan(20)
    }
    await remove(ruleId)
  })
})
