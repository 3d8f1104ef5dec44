import { auditEvents } from './tables/audit-events.ts'
import { auditNames } from './tables/audit-names.ts'
import type { Table } from './table.ts'

/**
 * The audit trail has its own consumer: commands wait for the core's tables but not for these, and an event that
 * cannot be displayed does not block sign-ins. It is rebuilt together with the core, in the same schema.
 */
export const auditTables: readonly Table[] = [auditNames, auditEvents]
