/** The service is killed repeatedly during a sync: the desired state is reached, without duplicates. */
import { expect } from 'chai'
import { isDeepStrictEqual } from 'node:util'
import { provisionedApplication } from '../support/scim/provisioning.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { scimApp } from '../support/scim/scim-app.ts'
import { testPlace, testService } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { random } from '../support/random.ts'

const KILLS = Number(process.env['SVC_TEST_PROVISIONING_KILLS'] ?? '2')
const PEOPLE = 30
/** A push that timed out on a machine that hung is repeated after two minutes. */
const SYNC_LIMIT_MS = 180_000

describe('svc serve, killed during a sync', function () {
  this.timeout(360_000)

  it(`SCX-02 SCX-03 leaves every user with one account and one entry in the audit trail, over ${String(KILLS)} kills`, async () => {
    const place = await testPlace()
    const app = await scimApp()
    let current: ServeProcess | null = null
    try {
      // Sets it up; nothing is pushed before it is enabled.
      const first = await testService(place)
      const application = await provisionedApplication(first)
      await application.configure(app, { enabled: false })
      const people = []
      for (let i = 0; i < PEOPLE; i++) people.push(await application.member())
      const left = people.slice(0, 5)
      await application.own('PUT', '', { baseUrl: app.baseUrl, enabled: true })
      await until(() => app.requests.length > 3)
      await first.stop()
      const setting = { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' }
      for (let kill = 0; kill < KILLS; kill++) {
        const goal = app.requests.length + 1 + Math.floor(random() * 5)
        current = await serve(setting)
        await until(() => app.requests.length >= goal || app.users.size === PEOPLE, 20_000, 'requests')
        await current.kill('SIGKILL')
        current = null
      }
      const startedAt = new Date().toISOString()
      const last = await testService(place)
      const send = (method: string, path: string) => last.api(method, path, { as: application.admin })
      for (const { userId } of left) await send('DELETE', `/groups/${application.groupId}/members/${userId}`)
      let state = ''
      // Until the first sync has begun, the counts are what the killed instances left behind.
      const goal = { status: 'ok', linked: PEOPLE - left.length, pendingCreate: 0, errors: 0, run: null }
      await until(
        async () => {
          const { body } = await send('GET', `/provisioning/applications/${application.applicationId}`)
          const { status, counts, run, lastSyncAt } = body
          if (counts.errors > 0) {
            const users = await send('GET', `/provisioning/applications/${application.applicationId}/users`)
            const failed = users.body.filter(
              ({ state: accountState }: { state: string }) => accountState === 'error',
            )
            state = JSON.stringify({ ...body, failed })
          } else state = JSON.stringify(body)
          return lastSyncAt > startedAt && isDeepStrictEqual({ status, ...counts, run }, goal)
        },
        SYNC_LIMIT_MS,
        () => `the state that the log requires, instead of ${state},`,
      )
      for (const { userId, email } of people) {
        const own = [...app.users.values()].filter(({ userName }) => userName === email)
        expect(own).to.have.length(1)
        expect(own[0]).to.include({
          externalId: userId,
          active: !left.some((one) => one.userId === userId),
        })
      }
      const { pool } = last.core.services
      const auditRows = async () =>
        (
          await pool.query<{ other_id: string; action: string; count: number }>(
            `select other_id, action, count(*) as count from audit_events
             where action like 'provisioning.user.%' group by other_id, action`,
          )
        ).rows
      const creations = async () =>
        (await auditRows()).filter(({ action }) => action === 'provisioning.user.create').length
      await until(async () => (await creations()) >= PEOPLE, 30_000, 'an entry for each')
      const rows = await auditRows()
      expect(await creations()).to.equal(PEOPLE)
      for (const { count } of rows) expect(count).to.equal(1)
      await last.stop()
    } finally {
      await current?.kill('SIGKILL')
      await app.stop()
      await place.drop()
    }
  })
})
