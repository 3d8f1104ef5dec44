import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { AccessPackageEvent, AccessPackageFields, AccessPackageStatus } from './events.ts'
import { settingsProblem } from './settings.ts'

export interface AccessPackageState {
  readonly status: 'none' | AccessPackageStatus | 'deleted'
  readonly fields: AccessPackageFields
}

export type AccessPackageCommand = { packageId: string } & (
  | { type: 'create'; fields: AccessPackageFields }
  /** Null removes an optional field. */
  | { type: 'update'; fields: Readonly<Record<string, unknown>> }
  | { type: 'publish' }
  | { type: 'archive' }
  /** The number of open assignments and of undecided requests: each prevents the deletion. */
  | { type: 'delete'; assignments: number; requests: number }
)

/** The settings of a package that says nothing else. */
export const plainPackage: Omit<AccessPackageFields, 'name' | 'grants'> = {
  requestable: true,
  requesters: { scope: 'everyone', groupIds: [] },
  approval: { required: false, stages: [] },
  requesterJustificationRequired: true,
  incompatiblePackageIds: [],
  ownerIds: [],
  questions: [],
}

const initial: AccessPackageState = { status: 'none', fields: { name: '', grants: [], ...plainPackage } }

const evolve = (state: AccessPackageState, { type, data }: AccessPackageEvent): AccessPackageState => {
  switch (type) {
    case 'access_package.created': {
      const { packageId: _, ...fields } = data
      return { status: 'draft', fields }
    }
    case 'access_package.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'access_package.published':
      return { ...state, status: 'published' }
    case 'access_package.archived':
      return { ...state, status: 'archived' }
    case 'access_package.deleted':
      return { ...state, status: 'deleted' }
  }
}

const many = (count: number, one: string): string => `${String(count)} ${one}${count === 1 ? '' : 's'}`

const decide = (
  command: AccessPackageCommand,
  { status, fields }: AccessPackageState,
): Decision<AccessPackageEvent> => {
  const { packageId } = command
  if (command.type === 'create') {
    if (status !== 'none') return refuse('ERR_CONFLICT')
    const problem = settingsProblem(packageId, command.fields)
    if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
    return accept({ type: 'access_package.created', data: { packageId, ...command.fields } })
  }
  if (status === 'none' || status === 'deleted') return refuse('ERR_NOT_FOUND')
  switch (command.type) {
    case 'update': {
      const changes = changesOf(fields, command.fields)
      if (changes.length === 0) return accept()
      const problem = settingsProblem(packageId, applyChanges(fields, changes))
      if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
      return accept({ type: 'access_package.updated', data: { packageId, changes } })
    }
    case 'publish':
      return status === 'published'
        ? accept()
        : accept({ type: 'access_package.published', data: { packageId } })
    case 'archive':
      if (status === 'draft')
        return refuse('ERR_CONFLICT', 'This package is a draft. Publish it, or delete it.')
      return status === 'archived'
        ? accept()
        : accept({ type: 'access_package.archived', data: { packageId } })
    case 'delete': {
      const { assignments, requests } = command
      if (assignments > 0)
        return refuse(
          'ERR_CONFLICT',
          `This package has ${many(assignments, 'assignment')}. End them first, or archive the package.`,
        )
      if (requests > 0)
        return refuse('ERR_CONFLICT', `This package has ${many(requests, 'undecided request')}.`)
      return accept({ type: 'access_package.deleted', data: { packageId } })
    }
  }
}

export const accessPackageDecider: Decider<AccessPackageState, AccessPackageCommand, AccessPackageEvent> = {
  initial,
  evolve,
  decide,
}

export const accessPackageStream = (packageId: string): string => `access_package-${packageId}`
