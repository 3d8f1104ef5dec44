/** Who can reach what, and why, as a graph: user, rule, group, application. */
import type { GraphEdge, GraphNode } from './access-graph-layout.ts'
import type { UserAccess } from './records.ts'

export type Via = UserAccess['via'][number]['via']
export type AccessKind = 'user' | 'rule' | 'group' | 'application'

/** The most users, and the most applications, that a graph shows. */
export const MOST = 12

const layers: Readonly<Record<AccessKind, number>> = { user: 0, rule: 1, group: 2, application: 3 }

export interface AccessNode extends GraphNode {
  readonly kind: AccessKind
  /** Of the record; of a rule, the name of its group */
  readonly name: string
  /** Where it leads */
  readonly to: string
  /** How the shown users became members of the group */
  readonly via: readonly Via[]
  /** Whether every path through it is blocked */
  readonly isBlocked: boolean
  /** Set for the node that stands for those that are not shown */
  readonly hidden: Hidden | null
}

interface Hidden {
  readonly count: number
  /** Whether there may be more than this */
  readonly isAtLeast: boolean
}

export interface AccessEdge extends GraphEdge {
  readonly isBlocked: boolean
}

export interface AccessGraphModel {
  readonly nodes: readonly AccessNode[]
  readonly edges: readonly AccessEdge[]
}

interface Named {
  readonly id: string
  readonly name: string
}

/** One path, or a part of it. */
interface Fact {
  readonly user: Named | null
  readonly group: Named
  readonly application: Named | null
  readonly via: Via | null
  readonly isBlocked: boolean
}

interface Access {
  readonly name: string
  readonly reaches: boolean
  readonly via: readonly { readonly groupId: string; readonly groupName: string; readonly via: Via }[]
}

interface Membership {
  readonly userId: string
  readonly name: string
  readonly status: string
  readonly via: Via
}

interface HiddenNode extends Hidden {
  readonly kind: 'user' | 'application'
  readonly to: string
}

const graphOf = (facts: readonly Fact[], hidden: readonly HiddenNode[] = []): AccessGraphModel => {
  const nodes = new Map<string, AccessNode>()
  const edges = new Map<string, AccessEdge>()
  const add = (kind: AccessKind, { id, name }: Named, to: string, isBlocked: boolean, via?: Via | null) => {
    const known = nodes.get(id)
    nodes.set(id, {
      id,
      layer: layers[kind],
      kind,
      name,
      to,
      via: [...new Set([...(known?.via ?? []), ...(via ? [via] : [])])],
      isBlocked: isBlocked && (known?.isBlocked ?? true),
      hidden: null,
    })
    return id
  }
  const join = (from: string, to: string, isBlocked: boolean): void => {
    const key = `${from} ${to}`
    edges.set(key, { from, to, isBlocked: isBlocked && (edges.get(key)?.isBlocked ?? true) })
  }
  for (const { user, group, application, via, isBlocked } of facts) {
    const page = `/console/groups/${group.id}`
    const groupId = add('group', group, `${page}?tab=access`, isBlocked, via)
    if (user !== null) {
      const userId = add('user', user, `/console/users/${user.id}?tab=access`, isBlocked)
      if (via === 'rule') {
        const rule = { id: `rule-${group.id}`, name: group.name }
        join(userId, add('rule', rule, `${page}?tab=rule`, isBlocked), isBlocked)
        join(rule.id, groupId, isBlocked)
      } else join(userId, groupId, isBlocked)
    }
    if (application !== null) {
      const to = `/console/applications/${application.id}?tab=access`
      join(groupId, add('application', application, to, isBlocked), isBlocked)
    }
  }
  const others = hidden
    .filter(({ count }) => count > 0)
    .map(({ kind, to, count, isAtLeast }) => ({
      id: `more-${kind}`,
      layer: layers[kind],
      kind,
      name: '',
      to,
      via: [],
      isBlocked: false,
      hidden: { count, isAtLeast },
    }))
  return { nodes: [...nodes.values(), ...others], edges: [...edges.values()] }
}

/** @param list where the applications that are not shown are listed */
export const graphOfUser = (
  user: Named,
  access: readonly (Access & { readonly applicationId: string })[],
  list: string,
): AccessGraphModel =>
  graphOf(
    access.slice(0, MOST).flatMap(({ applicationId, name, reaches, via }) =>
      via.map((path) => ({
        user,
        group: { id: path.groupId, name: path.groupName },
        application: { id: applicationId, name },
        via: path.via,
        isBlocked: !reaches,
      })),
    ),
    [{ kind: 'application', to: list, count: access.length - MOST, isAtLeast: false }],
  )

/**
 * @param access of the first users
 * @param isAll whether these are all
 * @param list where the users that are not shown are listed
 */
export const graphOfApplication = (
  application: Named,
  access: readonly (Access & { readonly userId: string })[],
  isAll: boolean,
  list: string,
): AccessGraphModel =>
  graphOf(
    access.slice(0, MOST).flatMap(({ userId, name, reaches, via }) =>
      via.map((path) => ({
        user: { id: userId, name },
        group: { id: path.groupId, name: path.groupName },
        application,
        via: path.via,
        isBlocked: !reaches,
      })),
    ),
    [{ kind: 'user', to: list, count: access.length - MOST, isAtLeast: !isAll }],
  )

/** Takes the first members and applications of a group; it counts all of them. */
export const graphOfGroup = (
  group: Named & { readonly memberCount: number; readonly applicationCount: number },
  members: readonly Membership[],
  applications: readonly (Named & { readonly status: string })[],
): AccessGraphModel => {
  const shown = new Set([...new Set(members.map(({ userId }) => userId))].slice(0, MOST))
  const page = `/console/groups/${group.id}`
  return graphOf(
    [
      { user: null, group, application: null, via: null, isBlocked: false },
      ...members
        .filter(({ userId }) => shown.has(userId))
        .map(({ userId, name, via, status }) => ({
          user: { id: userId, name },
          group,
          application: null,
          via,
          isBlocked: status !== 'active',
        })),
      ...applications.slice(0, MOST).map((application) => ({
        user: null,
        group,
        application,
        via: null,
        isBlocked: application.status !== 'active',
      })),
    ],
    [
      { kind: 'user', to: `${page}?tab=members`, count: group.memberCount - shown.size, isAtLeast: false },
      {
        kind: 'application',
        to: `${page}?tab=applications`,
        count: group.applicationCount - Math.min(applications.length, MOST),
        isAtLeast: false,
      },
    ],
  )
}
