import { auditEvents } from './tables/audit-events.ts'
import { auditNames } from './tables/audit-names.ts'
import type { Table } from './table.ts'

/**
 * The audit trail, kept by a consumer of its own: commands wait for the core's tables and must not wait for these, and
 * an event that cannot be told of stops nobody from signing in. Rebuilt together with the core, in the same schema.
 */
export const auditTables: readonly Table[] = [auditNames, auditEvents]
