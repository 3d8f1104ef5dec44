/** Applies files, or a plan that was reviewed. */
import { PLAN_FORMAT } from '../../../domain/configuration-plan/plan.ts'
import type { AdminApi } from '../admin-api.ts'
import { applyPlan, mustBeDone, type NewSecret } from './apply.ts'
import { readFiles } from './files.ts'
import { planOf, type PlanOptions, type Step } from './plan.ts'
import { desiredIn, readPlanFile, refuseStale, signedPlan } from './plan-file.ts'
import { readSnapshot } from './snapshot.ts'

export interface Report {
  /** Called after each step */
  readonly done: (step: Step) => void
  /** Called with each new secret before the next step; null if there is no place for secrets */
  readonly keep: ((secret: NewSecret) => Promise<void>) | null
}

export interface Applied {
  /** Number of records */
  readonly changed: number
  /** The correlation id of the changes */
  readonly planId: string
}

/** @throws CliError for wrong files, and for the first step that the service refuses; the steps before it stay */
export const applyFiles = async (
  api: AdminApi,
  folder: string,
  options: PlanOptions,
  { done, keep }: Report,
): Promise<Applied> => {
  const desired = await readFiles(folder)
  const { snapshot, names } = await readSnapshot(api, desired)
  const plan = planOf(desired, snapshot, options)
  if (plan.steps.length === 0) return { changed: 0, planId: '' }
  const { server } = api
  const steps = plan.steps.map((step) => ({ ...step, lastChange: null }))
  const { statement } = await signedPlan(api, { format: PLAN_FORMAT, server, ...plan, steps })
  await applyPlan(api.for(statement.planId), plan, names, done, keep)
  mustBeDone(planOf(desired, (await readSnapshot(api)).snapshot, { ...options, sendSecrets: false }))
  return { changed: plan.steps.length, planId: statement.planId }
}

/** @throws CliError also if the service has changed since the plan was made: nothing is changed then */
export const applyPlanFile = async (
  api: AdminApi,
  path: string,
  { done, keep }: Report,
): Promise<Applied> => {
  const { plan, statement } = await readPlanFile(path, api)
  const { snapshot, names } = await readSnapshot(api, desiredIn(plan.steps))
  refuseStale(plan.steps, snapshot)
  await applyPlan(api.for(statement.planId), plan, names, done, keep)
  return { changed: plan.steps.length, planId: statement.planId }
}
