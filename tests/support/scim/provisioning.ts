import type { ProvisioningTiming } from '../../../adapters/outbound/provisioning/run.ts'
import type { TestPerson, TestService } from '../service/service.ts'
import { until } from '../until.ts'

/** Polls as often as possible, without waiting for others. */
export const eager: Partial<ProvisioningTiming> = {
  poll: 0.05,
  rest: 0,
  every: 0.3,
  timeout: 1,
  retry: () => 0,
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
type Json = any

/** An application with one group, with or without provisioning set up. */
export interface ProvisionedApplication {
  readonly applicationId: string
  readonly groupId: string
  readonly admin: TestPerson
  readonly send: (method: string, path: string, body?: unknown) => ReturnType<TestService['api']>
  /** The same for the application's provisioning. */
  readonly own: (method: string, path?: string, body?: unknown) => ReturnType<TestService['api']>
  readonly configure: (target: { baseUrl: string; token: string }, more?: object) => Promise<Json>
  /** An active user in the group. */
  readonly member: (profile?: object) => Promise<TestPerson>
  readonly join: (userId: string) => Promise<void>
  readonly leave: (userId: string) => Promise<void>
  /** Requests a sync and waits for its end. @returns the record after it */
  readonly synced: () => Promise<Json>
  readonly accounts: () => Promise<Json[]>
}

let made = 0

const must = async (sent: ReturnType<TestService['api']>): Promise<Json> => {
  const { status, body } = await sent
  if (status >= 300) throw new Error(`${String(status)} ${JSON.stringify(body)}`)
  return body
}

export const provisionedApplication = async (service: TestService): Promise<ProvisionedApplication> => {
  const n = String(++made)
  const admin = await service.person({}, ['global_admin'])
  const send: ProvisionedApplication['send'] = (method, path, body) =>
    service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
  const { id: groupId } = await must(send('POST', '/groups', { name: `Staff ${n}` }))
  const { id: applicationId } = await must(
    send('POST', '/applications', {
      name: `Payroll ${n}`,
      protocol: 'oidc',
      type: 'web',
      redirectUris: ['https://payroll.example.com/callback'],
      groupIds: [groupId],
    }),
  )
  const own: ProvisionedApplication['own'] = (method, path = '', body) =>
    send(method, `/provisioning/applications/${String(applicationId)}${path}`, body)
  const join = async (userId: string): Promise<void> => {
    await must(send('PUT', `/groups/${String(groupId)}/members/${userId}`, {}))
  }
  return {
    applicationId,
    groupId,
    admin,
    send,
    own,
    join,
    configure: ({ baseUrl, token }, more = {}) => must(own('PUT', '', { baseUrl, token, ...more })),
    member: async (profile = {}) => {
      const person = await service.person(profile)
      await join(person.userId)
      return person
    },
    leave: async (userId) => {
      await must(send('DELETE', `/groups/${String(groupId)}/members/${userId}`))
    },
    synced: async () => {
      const { runId } = await must(own('POST', '/sync'))
      const { pool } = service.core.services
      await until(
        async () => {
          const { rowCount } = await pool.query(
            `select from work.provisioning where application_id = $1 and requested_run = $2
               and run_started_at is null`,
            [applicationId, runId],
          )
          return rowCount === 1
        },
        15_000,
        'the sync',
      )
      return must(own('GET'))
    },
    accounts: () => must(own('GET', '/users')),
  }
}
