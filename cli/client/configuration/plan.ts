/** The difference between files and a service. Pure: neither is changed. */
import { isDeepStrictEqual } from 'node:util'
import type {
  FieldChange,
  Plan as ConfigurationPlan,
  PlanStep,
} from '../../../domain/configuration-plan/plan.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import type { Desired, Item, Kind, KindName } from './kind.ts'
import { kinds } from './kinds.ts'
import type { Snapshot } from './snapshot.ts'

export type Step = PlanStep<KindName>
export type Plan = ConfigurationPlan<KindName>

const keyOf = ({ key }: Kind, item: Item): string => (key === null ? '' : String(item[key]))

/** Whether a value is what a file says. Of an object in a file, only the fields that it has count. */
const agrees = (wanted: unknown, current: unknown): boolean => {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    return isDeepStrictEqual(wanted, current)
  const now = (typeof current === 'object' && current !== null ? current : {}) as Item
  return Object.entries(wanted).every(([name, value]) => agrees(value, now[name]))
}

/**
 * What differs, of the fields that a file has.
 * @param stored the secrets that the service has and that stay
 */
export const changesIn = (
  { fields }: Kind,
  wanted: Item,
  current: Item,
  stored: readonly string[],
): readonly FieldChange[] =>
  Object.entries(fields).flatMap(([field, { normal, whole, storedIf }]) => {
    const value = wanted[field]
    if (value === undefined || stored.includes(field)) return []
    const to = normal === undefined || value === null ? value : normal(value)
    const now = current[field] ?? null
    const from = storedIf === undefined || now === null ? now : 'stored'
    const isSame = whole === true ? isDeepStrictEqual(to, from) : agrees(to, from)
    return isSame ? [] : [{ field, from, to }]
  })

const refuseFixed = (kind: Kind, key: string, changes: readonly FieldChange[]): void => {
  const fixed = changes.find(({ field }) => kind.fields[field]?.fixed === true)
  if (fixed !== undefined)
    throw new CliError(
      exitCodes.error,
      `${kind.name}: ${key} cannot get another ${fixed.field} (${String(fixed.from)}, not ${String(fixed.to)}). Delete it and apply again`,
    )
}

export interface PlanOptions {
  /** Whether to delete the records of a kind that its file does not describe */
  readonly prune: boolean
  /** Whether to send the secrets that the service has already */
  readonly sendSecrets: boolean
}

/** @throws CliError for two items with the same key, and for a change of a field that cannot change */
export const planOf = (
  desired: Desired,
  snapshot: Snapshot,
  { prune, sendSecrets }: PlanOptions = { prune: false, sendSecrets: false },
): Plan => {
  const made: Step[] = []
  const deleted: Step[] = []
  const unmanaged: { kind: KindName; key: string }[] = []
  for (const kind of kinds) {
    const items = desired.get(kind.name)
    if (items === undefined) continue
    const found = snapshot.get(kind.name) ?? new Map<string, never>()
    const described = new Set<string>()
    for (const item of items) {
      const key = keyOf(kind, item)
      if (described.has(key)) throw new CliError(exitCodes.usage, `${kind.name}: ${key} is described twice`)
      described.add(key)
      const current = found.get(key)
      if (current === undefined) {
        made.push({ action: 'create', kind: kind.name, key, item })
        continue
      }
      const changes = changesIn(kind, item, current.item, sendSecrets ? [] : current.stored)
      refuseFixed(kind, key, changes)
      const { id, version } = current
      if (changes.length > 0) made.push({ action: 'update', kind: kind.name, key, id, version, changes })
    }
    for (const [key, { id, version }] of found) {
      if (described.has(key)) continue
      if (prune) deleted.unshift({ action: 'delete', kind: kind.name, key, id, version })
      else unmanaged.push({ kind: kind.name, key })
    }
  }
  return { steps: [...made, ...deleted], unmanaged }
}
