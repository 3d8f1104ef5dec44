import { catalogue } from '../../../domain/catalogue.ts'

type Stored = Readonly<Record<string, unknown>>

/** The part of a catalogue row that converts stored versions to the current one. */
export interface Versions {
  readonly schema: number
  readonly upcast?: Readonly<Record<number, (data: Stored) => Stored>>
}

/** A newer release wrote this event: this release must not guess what it means. */
export class UnknownSchema extends Error {
  readonly type: string
  /** Version of the stored event. */
  readonly stored: number
  /** Newest version that this release knows. */
  readonly known: number

  constructor(type: string, stored: number, known: number) {
    super(
      `${type}: stored with schema ${String(stored)}, but this release supports 1 to ${String(known)}. Run a newer release.`,
    )
    this.name = 'UnknownSchema'
    this.type = type
    this.stored = stored
    this.known = known
  }
}

/**
 * Converts stored data of version `schema` to the current shape, one version at a time, without changing its
 * argument. Null for an unknown type: the caller decides whether to skip it or to stop.
 * @throws UnknownSchema if the event is newer than this release, or its version is invalid
 */
export const upcast = (
  type: string,
  schema: number,
  data: Stored,
  rows: Readonly<Record<string, Versions>> = catalogue,
): Stored | null => {
  const row = Object.hasOwn(rows, type) ? rows[type] : undefined
  if (row === undefined) return null
  if (!Number.isInteger(schema) || schema < 1 || schema > row.schema)
    throw new UnknownSchema(type, schema, row.schema)
  let lifted = data
  for (let version = schema; version < row.schema; version++) {
    const lift = row.upcast?.[version]
    if (lift === undefined)
      throw new Error(`${type}: the catalogue has no upcast from schema ${String(version)}`)
    lifted = lift(lifted)
  }
  return lifted
}
