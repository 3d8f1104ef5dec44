/** A plan as a file: for review in the console, and to apply exactly what was reviewed. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  readPlan,
  signedText,
  type PlanFile as PlanFileOf,
  type PlannedChanges as Planned,
  type SignedStatement,
} from '../../../domain/configuration-plan/plan.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import { ApiFailure, type AdminApi } from '../admin-api.ts'
import { replaceFile } from '../replace-file.ts'
import type { Desired, Item, KindName } from './kind.ts'
import { kinds } from './kinds.ts'
import type { Step } from './plan.ts'
import type { Snapshot } from './snapshot.ts'

type PlannedChanges = Planned<KindName>
type PlanFile = PlanFileOf<KindName>

/** SHA-256 in hexadecimal */
const digestOf = (plan: PlannedChanges): string => createHash('sha256').update(signedText(plan)).digest('hex')

/** Lets the service state who planned what, when, and against which position of the log. */
export const signedPlan = async (api: AdminApi, plan: PlannedChanges): Promise<PlanFile> => {
  const statement = await api.send('POST', '/configuration/plans', { digest: digestOf(plan) })
  return { plan, statement: statement as unknown as SignedStatement }
}

/** @throws CliError if the file cannot be written */
export const writePlanFile = async (path: string, file: PlanFile): Promise<void> => {
  try {
    await replaceFile(path, `${JSON.stringify(file, null, 2)}\n`)
  } catch (error) {
    throw new CliError(
      exitCodes.usage,
      `--out: cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/**
 * Reads a plan that the service signed.
 * @returns the plan, and what the service signed about it
 * @throws CliError if it is none, is of another service or version, or was changed
 */
export const readPlanFile = async (path: string, api: AdminApi): Promise<PlanFile> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(exitCodes.usage, `${path}: ${error instanceof Error ? error.message : String(error)}`)
  })
  const file = readPlan(text) as PlanFile | null
  if (file === null) throw new CliError(exitCodes.usage, `${path}: expected a file of "svc plan --out"`)
  const { plan, statement } = file
  if (plan.server !== api.server)
    throw new CliError(exitCodes.usage, `${path}: is a plan for ${plan.server}, not for ${api.server}`)
  const unknown = plan.steps.find(({ kind }) => !kinds.some(({ name }) => name === kind))
  if (unknown !== undefined)
    throw new CliError(
      exitCodes.usage,
      `${path}: names ${unknown.kind}, which this version of svc does not know`,
    )
  try {
    const body = { digest: digestOf(plan), note: statement.note }
    const signed = await api.send('POST', '/configuration/plans/verify', body)
    // Beside the note, the file repeats the statement for readers; only what is signed counts.
    return { plan, statement: { ...statement, ...signed } }
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== INVALID) throw error
    throw new CliError(exitCodes.error, `${path}: ${error.message}`)
  }
}

const INVALID = 422

/** What the steps of a plan say, as files would. */
export const desiredIn = (steps: readonly Step[]): Desired => {
  const desired = new Map<KindName, readonly Item[]>()
  for (const step of steps) {
    const item =
      step.action === 'create'
        ? step.item
        : step.action === 'update'
          ? Object.fromEntries(step.changes.map(({ field, to }) => [field, to]))
          : {}
    desired.set(step.kind, [...(desired.get(step.kind) ?? []), item])
  }
  return desired
}

/** @throws CliError before anything changes if the service is no longer what the plan was made for */
export const refuseStale = (steps: readonly Step[], snapshot: Snapshot): void => {
  for (const step of steps) {
    const now = snapshot.get(step.kind)?.get(step.key)
    const isSame =
      step.action === 'create' ? now === undefined : now?.id === step.id && now.version === step.version
    if (!isSame)
      throw new CliError(
        exitCodes.error,
        `${step.kind}${step.key === '' ? '' : ` ${step.key}`} has changed since the plan was made. Plan again`,
      )
  }
}
