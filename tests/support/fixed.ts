import { idPrefixes, type Id, type IdKind } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'

/** The n-th id of a kind: well formed, the same in every run. */
export const id = <K extends IdKind>(kind: K, n = 1): Id<K> =>
  `${idPrefixes[kind]}01JZ${String(n).padStart(22, '0')}`

/** The time this many seconds after 2 January 2026, 03:04:05 UTC. */
export const at = (seconds: number): Instant =>
  new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + seconds * 1000).toISOString().replace('Z', '000Z')
