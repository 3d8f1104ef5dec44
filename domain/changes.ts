/** The change of one field, as in `*.updated` events and the audit trail. `null` is an empty field. */
export interface Change {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, v: unknown) =>
    v !== null && typeof v === 'object' && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  )

/** Whether two field values are equal for a reader: missing equals null, and object key order is irrelevant. */
export const sameValue = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

/** The effective changes of a partial update: sent fields that differ from the current ones. */
export const changesOf = (current: object, sent: object): readonly Change[] =>
  Object.entries(sent as Record<string, unknown>).flatMap(([field, to]) => {
    const from: unknown = Object.hasOwn(current, field) ? (current as Record<string, unknown>)[field] : null
    return to === undefined || sameValue(from, to) ? [] : [{ field, from: from ?? null, to: to ?? null }]
  })

/** The record after the changes, without fields that were changed to null. */
export const applyChanges = <T extends object>(current: T, changes: readonly Change[]): T => {
  const next = new Map<string, unknown>(Object.entries(current))
  for (const { field, to } of changes) {
    if (to === null) next.delete(field)
    else next.set(field, to)
  }
  return Object.fromEntries(next) as T
}
