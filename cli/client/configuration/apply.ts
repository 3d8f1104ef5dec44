/**
 * Makes a service what files say. Every step is one or a few requests of the public API, and each is safe to repeat: an
 * interrupted run continues with the next plan.
 */
import type { FieldChange } from '../../../domain/configuration-plan/plan.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import { ApiFailure, type AdminApi, type ApiRecord } from '../admin-api.ts'
import type { Item, Kind } from './kind.ts'
import { kindOf } from './kinds.ts'
import { secretAt } from './secret-reference.ts'
import { changesIn, type Plan, type Step } from './plan.ts'
import { itemOf, storedIn, type NameBook } from './snapshot.ts'

const STALE = 412
const CONFLICT = 409

const bodyOf = (kind: Kind, values: Item, names: NameBook): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const { api = name, sentAs = api, toBody } = kind.fields[name] ?? {}
      return [sentAs, toBody === undefined || value === null ? value : toBody(value, names)]
    }),
  )

/** Says which record the service refused, and that the plan is out of date if somebody else was faster. */
const explained = (step: Step, error: unknown): unknown => {
  if (!(error instanceof ApiFailure)) return error
  const what = `${step.action} ${step.kind}${step.key === '' ? '' : ` ${step.key}`}`
  const isRaced = error.status === CONFLICT && step.action === 'create'
  const hint =
    error.status === STALE
      ? ' It has changed since the plan was made: plan again.'
      : isRaced
        ? ' If it was created since the plan was made, plan again.'
        : ''
  return new CliError(error.exitCode, `${what}: ${error.message}${hint}`)
}

/** @throws CliError before anything is created whose secret would be lost for good */
const refuseLostSecrets = (steps: readonly Step[], isKept: boolean): void => {
  const lost = steps.find(
    ({ action, kind }) => action === 'create' && kindOf(kind).secret?.isReplaceable === false,
  )
  if (lost !== undefined && !isKept)
    throw new CliError(
      exitCodes.usage,
      `${lost.kind} ${lost.key}: its secret is shown only once. Name a file for secrets with --secrets`,
    )
}

/** @throws CliError before anything changes if a secret that files refer to cannot be read */
const readSecrets = (steps: readonly Step[]): void => {
  for (const step of steps) {
    const wanted = step.action === 'create' ? Object.entries(step.item) : []
    const changed = step.action === 'update' ? step.changes.map(({ field, to }) => [field, to] as const) : []
    for (const [field, value] of [...wanted, ...changed])
      if (kindOf(step.kind).fields[field]?.storedIf !== undefined && value !== undefined) secretAt(value)
  }
}

/** What a user must keep of a record that was created: it is shown only once. */
export interface NewSecret {
  readonly record: string
  readonly clientId?: unknown
  readonly secret: unknown
}

/**
 * @param done called after each step
 * @param keep called with each new secret before the next step; null if there is no place for secrets
 * @throws CliError for the first step that the service refuses; the steps before it stay
 */
export const applyPlan = async (
  api: AdminApi,
  { steps }: Pick<Plan, 'steps'>,
  names: NameBook,
  done: (step: Step) => void,
  keep: ((secret: NewSecret) => Promise<void>) | null = null,
): Promise<void> => {
  refuseLostSecrets(steps, keep !== null)
  readSecrets(steps)
  /** What has to wait until everything exists. */
  const late: {
    readonly step: Step
    readonly kind: Kind
    readonly id: string
    readonly changes: readonly FieldChange[]
  }[] = []

  /** @param version undefined: whatever version it has now */
  const change = async (
    kind: Kind,
    id: string,
    changes: readonly FieldChange[],
    version: number | undefined,
  ): Promise<void> => {
    const values = Object.fromEntries(changes.map(({ field, to }) => [field, to]))
    const own = changes.filter(({ field }) => kind.fields[field]?.change !== undefined)
    const rest = Object.fromEntries(
      Object.entries(values).filter(([field]) => kind.fields[field]?.change === undefined),
    )
    const path = kind.key === null ? kind.path : `${kind.path}/${id}`
    if (Object.keys(rest).length > 0) await api.send('PATCH', path, bodyOf(kind, rest, names), version)
    for (const { field, from, to } of own) {
      const [value] = Object.values(bodyOf(kind, { [field]: to }, names))
      for (const request of kind.fields[field]?.change?.(id, value, from) ?? [])
        await api.send(request.method, request.path, request.body)
    }
  }

  const create = async (step: Extract<Step, { action: 'create' }>): Promise<void> => {
    const kind = kindOf(step.kind)
    const first = Object.fromEntries(
      Object.entries(step.item).filter(([field, value]) => {
        const { late: isLate, change: ownRequest } = kind.fields[field] ?? {}
        return isLate !== true && ownRequest === undefined && value !== null
      }),
    )
    const body = bodyOf(kind, first, names)
    const record: ApiRecord = await api.send('POST', kind.path, kind.creation?.(body) ?? body)
    const id = String(record['id'])
    const secret = record[kind.secret?.field ?? '']
    if (secret !== undefined && keep !== null)
      await keep({ record: `${step.kind}/${step.key}`, clientId: record['clientId'], secret })
    names.add(step.kind, id, step.key)
    const left = changesIn(kind, step.item, itemOf(kind, record, names), storedIn(kind, record))
    await change(
      kind,
      id,
      left.filter(({ field }) => kind.fields[field]?.late !== true),
      undefined,
    )
    late.push({ step, kind, id, changes: left })
  }

  const update = async (step: Extract<Step, { action: 'update' }>): Promise<void> => {
    const kind = kindOf(step.kind)
    const { id, version, changes } = step
    await change(
      kind,
      id,
      changes.filter(({ field }) => kind.fields[field]?.late !== true),
      version,
    )
    late.push({ step, kind, id, changes })
  }

  const made = steps.filter(({ action }) => action !== 'delete')
  const attempt = async (step: Step, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      throw explained(step, error)
    }
  }
  for (const step of made) {
    await attempt(step, async () => {
      if (step.action === 'create') await create(step)
      if (step.action === 'update') await update(step)
    })
    done(step)
  }
  for (const { step, kind, id, changes } of late)
    await attempt(step, () =>
      change(
        kind,
        id,
        changes.filter(({ field }) => kind.fields[field]?.late === true),
        undefined,
      ),
    )
  for (const step of steps)
    if (step.action === 'delete') {
      await attempt(step, async () => {
        await api.send('DELETE', `${kindOf(step.kind).path}/${step.id}`, undefined, step.version)
      })
      done(step)
    }
}

/** @throws CliError if the service still differs, which means that somebody else has changed it meanwhile */
export const mustBeDone = ({ steps }: Plan): void => {
  const [step] = steps
  if (step !== undefined)
    throw new CliError(
      exitCodes.error,
      `${step.kind}${step.key === '' ? '' : ` ${step.key}`} differs again: somebody else has changed it meanwhile`,
    )
}
