/** A world for the model of governance: users, groups, packages and an application, in a running service. */
import { oidcWorld, type TestApplication } from '../oidc/oidc.ts'
import type { TestService } from '../service/service.ts'
import type { Json } from './access-packages.ts'
import { GovernanceModel, type ModelPackage, type ModelStage, type ModelUser } from './governance-model.ts'

export const GROUPS = 4
export const USERS = 4
/** How long a refresh token lasts by itself. */
export const REFRESH_HOURS = 720

export interface GovernanceWorld {
  readonly model: GovernanceModel
  readonly groupIds: readonly string[]
  /** For the members of the first group */
  readonly app: TestApplication
  /** Of a user in the application, and the hour of its last use */
  readonly refreshTokens: Map<ModelUser, { readonly token: string; readonly hour: number }>
}

/** Sends a request of an administrator that must succeed. */
type Send = (at: TestService, method: string, path: string, body?: unknown) => Promise<Json>

const stageBody = ({ approvers, mode, hours }: ModelStage): object => ({
  approvers:
    approvers === 'manager'
      ? { type: 'manager', ids: [] }
      : { type: 'users', ids: approvers.map(({ userId }) => userId) },
  ...{ mode, timeoutHours: hours, justificationRequired: false },
})

/** @param prefix of all names, so that worlds do not overlap */
export const governanceWorld = async (
  service: TestService,
  ok: Send,
  prefix: string,
): Promise<GovernanceWorld> => {
  const groupIds: string[] = []
  for (let n = 0; n < GROUPS; n++)
    groupIds.push((await ok(service, 'POST', '/groups', { name: `${prefix} Group ${String(n)}` })).id)
  const person = async (name: string, manager: ModelUser | null): Promise<ModelUser> => {
    const managerId = manager === null ? {} : { managerId: manager.userId }
    const { userId, email } = await service.person({ name, ...managerId })
    return { name, userId, email, manager, status: 'active' }
  }
  const owner = await person('owner', null)
  const boss = await person('boss', null)
  const ada = await person('ada', boss)
  const bob = await person('bob', boss)
  const eve = await person('eve', ada)
  const byManager: ModelStage = { approvers: 'manager', mode: 'any', hours: 48 }
  const byBoth: ModelStage = { approvers: [ada, eve], mode: 'all', hours: 36 }
  const first = `${prefix} First`
  const settings: readonly Omit<ModelPackage, 'packageId' | 'status'>[] = [
    { name: first, groups: [0, 1], stages: [byManager], hours: null, incompatible: [] },
    // It overlaps with the first.
    { name: `${prefix} Second`, groups: [0, 2], stages: [byManager, byBoth], hours: 50, incompatible: [] },
    { name: `${prefix} Third`, groups: [3], stages: [], hours: 12, incompatible: [first] },
  ]
  const packages: ModelPackage[] = []
  for (const one of settings) {
    const { name, groups, stages, hours, incompatible } = one
    const { id } = await ok(service, 'POST', '/access-packages', {
      name,
      grants: groups.map((n) => ({ type: 'group', groupId: groupIds[n] })),
      requesterJustificationRequired: false,
      ownerIds: [owner.userId],
      approval: { required: stages.length > 0, stages: stages.map(stageBody) },
      ...(hours === null ? {} : { duration: { default: `PT${String(hours)}H`, requesterMayChoose: false } }),
      incompatiblePackageIds: packages.flatMap((other) =>
        incompatible.includes(other.name) ? [other.packageId] : [],
      ),
    })
    await ok(service, 'POST', `/access-packages/${String(id)}/publish`)
    packages.push({ ...one, packageId: id, status: 'published' })
  }
  const world = oidcWorld(service)
  const app = await world.application(
    'web',
    { refreshTokenLifetimeSeconds: REFRESH_HOURS * 3600 },
    { groups: 'none' },
  )
  await world.change({ type: 'assign_group', applicationId: app.applicationId, groupId: groupIds[0]! })
  const model = new GovernanceModel([boss, ada, bob, eve], packages, owner, GROUPS)
  return { model, groupIds, app, refreshTokens: new Map() }
}
