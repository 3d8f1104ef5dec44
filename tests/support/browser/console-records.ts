import { importCommands } from '../../../adapters/application/imports/imports.ts'
import type { ConsolePageName } from '../../../adapters/inbound/web/console/page-list.ts'
import { sharedSignalsStreamCommands } from '../../../adapters/application/commands/shared-signals-streams.ts'
import { emptyStream } from '../../../domain/shared-signals/decider.ts'
import { seedDemo } from '../../../cli/server/seed-demo.ts'
import { apiKey as newApiKey } from '../api/api-keys.ts'
import { newKeyOf } from '../ssh/openssh-keys.ts'
import { newJar, passkeyWorld } from '../sign-in/passkey-world.ts'
import { system, type TestService } from '../service/service.ts'
import { until } from '../until.ts'

const noChecks = { profile: () => undefined, group: () => undefined }

/** The id of a record for each page about one. */
export type RecordIds = Readonly<Partial<Record<ConsolePageName, string>>>

/** Creates one record of each kind, and returns their ids. */
export const consoleRecords = async (service: TestService): Promise<RecordIds> => {
  const admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const made = async (path: string, body: unknown): Promise<string> =>
    String((await send('POST', path, body)).id)

  const { applicationId } = await seedDemo(service.core.services)
  const passkeys = passkeyWorld(service)
  const jar = newJar()
  const person = await passkeys.enrolled(jar)
  await passkeys.signIn(person, jar)
  const staff = await made('/groups', { name: 'Staff', description: 'Everybody on the payroll' })
  await send('PUT', `/groups/${staff}/members/${person.userId}`, {})
  await send('PUT', `/applications/${applicationId}/groups/${staff}`)
  const apiResource = await made('/api-resources', {
    identifier: 'https://api.example.com/invoices',
    name: 'Invoices',
    scopes: [
      { name: 'invoices:read', description: 'Read invoices' },
      { name: 'invoices:write', description: 'Write and send invoices' },
    ],
  })
  await send('PUT', `/api-resources/${apiResource}/grants/${applicationId}`, { scopes: ['invoices:read'] })
  // No application has scopes of it, so that it can be deleted.
  await made('/api-resources', { identifier: 'https://api.example.com/timesheets', name: 'Timesheets' })
  const serviceAccount = await made('/service-accounts', {
    name: 'Directory sync',
    description: 'Copies the users of the directory every night',
    ownerId: admin.userId,
  })
  const apiKey = await made(`/service-accounts/${serviceAccount}/keys`, { name: 'nightly', scopes: ['scim'] })
  const webhook = await made('/webhooks', { url: 'https://hooks.example.com/identity', events: ['*'] })
  const networkZone = await made('/network-zones', { name: 'Office', type: 'ip', cidrs: ['192.0.2.0/24'] })
  const sshPrincipalMapping = await made('/ssh/principal-mappings', {
    groupId: staff,
    principals: ['deploy', 'postgres'],
    maxValiditySeconds: 3600,
  })
  await send('PUT', `/groups/${staff}/members/${admin.userId}`, {})
  const issued = await send('POST', '/me/ssh/certificates', { publicKey: newKeyOf['ssh-ed25519']() })
  const hostKey = await newApiKey(service, { sshHostNames: ['web01.example.com', '*.web.example.com'] })
  const host = await hostKey.send('POST', '/ssh/host-certificates', { publicKey: newKeyOf['ssh-ed25519']() })
  await send('DELETE', `/api-keys/${hostKey.keyId}`)
  const identityProvider = await made('/identity-providers', {
    ...{ type: 'google', name: 'Google', clientId: 'us.apps.example', clientSecret: 'secret' },
  })
  const accessPackage = await made('/access-packages', {
    name: 'Treasury reports',
    description: 'Monthly and yearly reports of the treasury',
    grants: [{ type: 'group', groupId: staff }],
    requesterJustificationRequired: false,
    approval: {
      required: true,
      stages: [
        {
          approvers: { type: 'users', ids: [admin.userId] },
          ...{ mode: 'any', timeoutHours: 72, justificationRequired: true },
        },
      ],
    },
  })
  await send('POST', `/access-packages/${accessPackage}/publish`)
  const assigned = await service.person({ name: 'Rosa Parks' })
  await send('POST', `/access-packages/${accessPackage}/assignments`, { userId: assigned.userId })
  const asked = { as: await service.person({ name: 'Lise Meitner' }), body: { packageId: accessPackage } }
  const { body: accessRequest } = await service.api('POST', '/me/access-requests', asked)
  const accessReview = await made('/access-reviews', {
    name: 'Quarterly review',
    scope: { type: 'group', ids: [staff] },
    stages: [{ type: 'manager', ids: [], fallbackIds: [] }],
    schedule: { startsAt: '2027-01-01T08:00:00Z', durationDays: 14, repeat: 'quarterly' },
    settings: {
      ...{ justificationRequired: 'on_revoke', selfReview: false, bulkDecisions: true, reminders: [7] },
      ...{ recommendationInactiveDays: 30, onNoResponse: 'keep', autoApply: true },
    },
  })
  await send('POST', `/access-reviews/${accessReview}/start`)
  const lifecycleRule = await made('/lifecycle/rules', {
    name: 'Leavers',
    category: 'leaver',
    trigger: { type: 'on_end_date', atTime: '17:00' },
    conditions: {
      match: 'all',
      conditions: [{ attribute: 'department', operator: 'eq', value: 'Treasury' }],
    },
    actions: [
      { type: 'remove_from_group', groupId: staff },
      { type: 'send_email', to: 'manager', subject: '{{user.name}} has left', text: 'Please take over.' },
    ],
  })
  await send('POST', `/lifecycle/rules/${lifecycleRule}/run`, { userIds: [assigned.userId] })
  const domain = await made('/domains', { name: 'example.com' })
  const policy = await made('/policies', { name: 'Office only', action: 'block' })
  const { userId } = await service.person({ name: 'Mallory' })
  const riskEvent = await made(`/users/${userId}/confirm-compromised`, {})
  const imports = importCommands(service.core.services)
  const users = { source: 'users_csv', bytes: Buffer.from('email\nx@example.com\n'), updates: true } as const
  const imported = await imports.upload(users, noChecks, null, system)
  await until(async () => (await imports.find(imported))?.status === 'ready')
  const streams = sharedSignalsStreamCommands(service.core.services)
  const sharedSignalsStream = await streams.create(applicationId, emptyStream, null, system)
  const first = async (path: string): Promise<string> => String((await send('GET', `${path}&limit=1`))[0].id)
  return {
    user: person.userId,
    group: staff,
    application: applicationId,
    applicationProvisioning: applicationId,
    apiResource,
    serviceAccount,
    apiKey,
    webhook,
    networkZone,
    sshPrincipalMapping,
    sshCertificate: String(issued.serial),
    sshHostCertificate: String(host.body.serial),
    accessPackage,
    accessRequest: String(accessRequest.id),
    accessReview,
    lifecycleRule,
    identityProvider,
    domain,
    policy,
    riskEvent,
    import: imported,
    sharedSignalsStream,
    signIn: await first(`/sign-ins?userId=${person.userId}`),
    session: await first(`/sessions?userId=${person.userId}`),
    device: await first(`/devices?userId=${person.userId}`),
  }
}
