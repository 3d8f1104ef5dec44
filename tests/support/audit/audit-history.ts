import { audited } from './audit.ts'
import type { TestPerson, TestService } from '../service/service.ts'

export interface AuditHistory {
  readonly admin: TestPerson
  /** A user whose data was erased. */
  readonly erased: TestPerson
}

/** Some hundred events of many kinds: users, groups, applications, secrets and sessions; one user is erased. */
export const auditHistory = async (service: TestService, people = 40): Promise<AuditHistory> => {
  const admin = await service.person({ name: 'Grace Hopper' }, ['global_admin'])
  const erased = await service.person({ name: 'Ada Lovelace', department: 'Analysis' })
  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body as Record<string, unknown>
  }
  const idOf = ({ id }: Record<string, unknown>): string => String(id)
  const groups: string[] = []
  for (const name of ['Sales', 'Étage 3 – « été »', 'Ops'])
    groups.push(idOf(await send('POST', '/groups', { name })))
  for (let n = 0; n < people; n++) {
    const { userId } = await service.person({ name: `Person №${String(n)} 🦉` })
    await send('PUT', `/groups/${groups[n % 3] ?? ''}/members/${userId}`, {})
    if (n % 3 === 0) await send('PATCH', `/users/${userId}`, { name: `Renamed ${String(n)}`, title: 'Clerk' })
    if (n % 5 === 0) await send('POST', `/users/${userId}/suspend`)
  }
  await send('POST', '/applications', {
    name: 'Payroll',
    protocol: 'oidc',
    type: 'web',
    redirectUris: ['https://payroll.example.com/callback'],
    groupIds: [groups[0]],
  })
  await send('PATCH', `/users/${erased.userId}`, { name: 'Ada King' })
  await send('DELETE', `/users/${erased.userId}`)
  await send('POST', `/users/${erased.userId}/erase`)
  await auditCaughtUp(service)
  return { admin, erased }
}

/** Waits until the tree and the audit trail contain all events. */
export const auditCaughtUp = async (service: TestService): Promise<void> => {
  await audited(service)
  await audited(service, 'audit-tree')
}
