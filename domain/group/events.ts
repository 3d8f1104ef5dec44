import type { Change } from '../changes.ts'
import type { GroupRule } from './rule.ts'

export type GroupSource = 'local' | 'scim'

export type GroupEvent =
  | {
      type: 'group.created'
      data: {
        groupId: string
        name: string
        description?: string
        rule: GroupRule | null
        externalId?: string
        ownerIds: readonly string[]
        source: GroupSource
      }
    }
  | { type: 'group.updated'; data: { groupId: string; changes: readonly Change[] } }
  | { type: 'group.rule_changed'; data: { groupId: string; from: GroupRule | null; to: GroupRule | null } }
  | { type: 'group.deleted'; data: { groupId: string } }
