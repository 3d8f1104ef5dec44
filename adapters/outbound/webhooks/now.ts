import type { Instant } from '../../../domain/time.ts'

/** The database's time, which all instances share; tests use another time. */
export type Now = () => Instant | null

export const NOW = (parameter: string): string => `coalesce(${parameter}::timestamptz, clock_timestamp())`
