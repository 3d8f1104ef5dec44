import { expect } from 'chai'
import type { ApprovalStage } from '../../../domain/access-package/events.ts'
import { testService, type TestPerson, type TestPlace } from '../service/service.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

/** A service with an administrator, a user, the user's manager, and an owner of packages; and how they use the API. */
export const accessWorld = async (place?: TestPlace, options?: Parameters<typeof testService>[1]) => {
  const service = await testService(place, options)
  const admin = await service.person({ name: 'Grace' }, ['global_admin'])
  const manager = await service.person({ name: 'Mae' })
  const owner = await service.person({ name: 'Otto' })
  const ada = await service.person({ name: 'Ada', managerId: manager.userId })
  let names = 0

  const send = (method: string, path: string, body?: unknown, as: TestPerson = admin) =>
    service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
  const ok = async (method: string, path: string, body?: unknown, as: TestPerson = admin): Promise<Json> => {
    const answer = await send(method, path, body, as)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer.body
  }
  /** Returns the error. */
  const fails = async (
    expected: readonly [status: number, code: string],
    method: string,
    path: string,
    body: unknown,
    as: TestPerson = admin,
  ): Promise<Json> => {
    const answer = await send(method, path, body, as)
    expect([answer.status, answer.body.error.code], JSON.stringify(answer.body)).to.deep.equal(expected)
    return answer.body.error
  }
  const group = async (): Promise<string> =>
    (await ok('POST', '/groups', { name: `Group ${String(++names)}` })).id

  return {
    ...{ service, admin, manager, owner, ada, send, ok, fails, group },
    /** A published package. */
    accessPackage: async (settings: object = {}, groupId?: string): Promise<Json> => {
      const { id } = await ok('POST', '/access-packages', {
        name: `Package ${String(++names)}`,
        grants: [{ type: 'group', groupId: groupId ?? (await group()) }],
        requesterJustificationRequired: false,
        ...settings,
      })
      return ok('POST', `/access-packages/${String(id)}/publish`)
    },
    stage: (
      approvers: Partial<ApprovalStage['approvers']>,
      more: Partial<ApprovalStage> = {},
    ): ApprovalStage => ({
      approvers: { type: 'manager', ids: [], ...approvers },
      mode: 'any',
      timeoutHours: 24,
      justificationRequired: false,
      ...more,
    }),
    approvedBy: (...stages: readonly ApprovalStage[]) => ({ approval: { required: true, stages } }),
    request: (packageId: string, more: object = {}, as = ada): Promise<Json> =>
      ok('POST', '/me/access-requests', { packageId, ...more }, as),
    read: (id: string): Promise<Json> => ok('GET', `/access-requests/${id}`),
    decide: (id: string, decision: 'approve' | 'deny', as: TestPerson, body: object = {}): Promise<Json> =>
      ok('POST', `/access-requests/${id}/${decision}`, body, as),
    groupsOf: async ({ userId }: TestPerson): Promise<readonly string[]> =>
      (await ok('GET', `/users/${userId}/groups`)).map(({ id }: Json) => id),
    /** The group of a package. */
    grantedBy: ({ groups }: Json): string => groups[0].id,
  }
}

export type AccessWorld = Awaited<ReturnType<typeof accessWorld>>
