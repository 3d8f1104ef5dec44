/** A plan that makes a service what files say, as `svc plan` writes it and the console shows it. */

export const PLAN_FORMAT = 'svc-plan/1'

export interface FieldChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** A record in files: a kind such as `groups`, and what identifies it there; '' for the only record of a kind. */
interface Named<Kind extends string> {
  readonly kind: Kind
  readonly key: string
}

/** A record as the plan saw it. */
interface Existing<Kind extends string> extends Named<Kind> {
  readonly id: string
  readonly version: number
}

export type PlanStep<Kind extends string = string> =
  | (Named<Kind> & { readonly action: 'create'; readonly item: Readonly<Record<string, unknown>> })
  | (Existing<Kind> & { readonly action: 'update'; readonly changes: readonly FieldChange[] })
  | (Existing<Kind> & { readonly action: 'delete' })

export interface Plan<Kind extends string = string> {
  /** In the order in which they can be applied */
  readonly steps: readonly PlanStep<Kind>[]
  /** Records that no file describes, and that are not deleted */
  readonly unmanaged: readonly Named<Kind>[]
}

/** The last entry of the audit trail about a record. */
export interface LastChange {
  /** Of the audit entry */
  readonly id: string
  readonly time: string
  /** Null: the service itself */
  readonly by: string | null
  readonly summary: string
  /** Whether it was made with a configuration plan; otherwise the record has drifted from the files since */
  readonly applied: boolean
}

/** What was planned; the service signs its hash. */
export interface PlannedChanges<Kind extends string = string> {
  readonly format: typeof PLAN_FORMAT
  /** Address of the service */
  readonly server: string
  readonly steps: readonly (PlanStep<Kind> & { readonly lastChange: LastChange | null })[]
  readonly unmanaged: Plan<Kind>['unmanaged']
}

/** What the service states about a plan. */
export interface SignedStatement {
  /** Also the correlation id of the changes */
  readonly planId: string
  readonly plannedBy: { readonly id: string; readonly name: string }
  readonly plannedAt: string
  readonly position: string
  /** The statement with its signature (C2SP signed-note) */
  readonly note: string
}

export interface PlanFile<Kind extends string = string> {
  readonly plan: PlannedChanges<Kind>
  readonly statement: SignedStatement
}

/** The text whose SHA-256 the service signs. Files that were formatted anew have the same. */
export const signedText = (plan: PlannedChanges): string => JSON.stringify(plan)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the text of a file; null if it is not a plan. Its signature says whether it is genuine. */
export const readPlan = (text: string): PlanFile | null => {
  try {
    const file: unknown = JSON.parse(text)
    if (!isObject(file) || !isObject(file['plan']) || !isObject(file['statement'])) return null
    const { plan, statement } = file
    const isPlan =
      plan['format'] === PLAN_FORMAT &&
      typeof plan['server'] === 'string' &&
      Array.isArray(plan['steps']) &&
      Array.isArray(plan['unmanaged']) &&
      typeof statement['note'] === 'string' &&
      typeof statement['planId'] === 'string'
    return isPlan ? (file as unknown as PlanFile) : null
  } catch {
    return null
  }
}
