/** What an import does with a line, given what exists. The same function answers the dry run and the run itself. */
import type { Change } from '../changes.ts'
import type { ImportLine } from './lines.ts'
import { importedFields, type ImportedProfile } from './records.ts'

export const importActions = ['create', 'update', 'add', 'none', 'skip', 'error'] as const
export type ImportAction = (typeof importActions)[number]

export interface KnownUser {
  readonly id: string
  readonly profile: ImportedProfile & { readonly managerId?: string }
}

export interface KnownGroup {
  readonly id: string
  readonly description: string | null
}

/** What exists; names and addresses are not case-sensitive. */
export interface ImportFacts {
  readonly user: (email: string) => KnownUser | undefined
  readonly group: (name: string) => KnownGroup | undefined
  readonly isMember: (groupId: string, userId: string) => boolean
  /** Whether another line of the same import creates it. */
  readonly createsUser: (email: string) => boolean
  readonly createsGroup: (name: string) => boolean
}

export interface ImportOptions {
  /** Whether users and groups that exist get the values of the file; otherwise they stay as they are. */
  readonly update: boolean
}

export interface Planned {
  readonly action: ImportAction
  readonly changes: readonly Change[]
  readonly message?: string
}

const none: Planned = { action: 'none', changes: [] }
const error = (message: string): Planned => ({ action: 'error', changes: [], message })
const exists: Planned = { action: 'skip', changes: [], message: 'exists already' }

/** Returns the changes that the file makes to a profile. What the file does not have stays. */
export const profileChanges = (profile: ImportedProfile, known: ImportedProfile): readonly Change[] => {
  const { custom = {} } = profile
  const { custom: had = {} } = known
  const fields = importedFields.flatMap((field): Change[] => {
    const [from, to] = [known[field], profile[field]]
    return field === 'email' || to === undefined || to === from ? [] : [{ field, from: from ?? null, to }]
  })
  const merged = { ...had, ...custom }
  const isSame = Object.entries(custom).every(([name, value]) => had[name] === value)
  return isSame ? fields : [...fields, { field: 'custom', from: had, to: merged }]
}

const planUser = (
  { profile, skipped }: Extract<ImportLine, { kind: 'user' }>,
  { user }: ImportFacts,
  { update }: ImportOptions,
): Planned => {
  if (skipped !== undefined) return { action: 'skip', changes: [], message: skipped }
  const known = user(profile.email ?? '')
  if (known === undefined)
    return {
      action: 'create',
      changes: [...importedFields, 'custom' as const].flatMap((field) => {
        const to = profile[field]
        return to === undefined ? [] : [{ field, from: null, to }]
      }),
    }
  const changes = profileChanges(profile, known.profile)
  if (changes.length === 0) return none
  return update ? { action: 'update', changes } : exists
}

const planGroup = (
  { name, description }: Extract<ImportLine, { kind: 'group' }>,
  { group }: ImportFacts,
  { update }: ImportOptions,
): Planned => {
  const known = group(name)
  if (known === undefined)
    return {
      action: 'create',
      changes: [
        { field: 'name', from: null, to: name },
        ...(description === undefined ? [] : [{ field: 'description', from: null, to: description }]),
      ],
    }
  if (description === undefined || description === known.description) return none
  return update
    ? { action: 'update', changes: [{ field: 'description', from: known.description, to: description }] }
    : exists
}

const planManager = (
  { email, manager }: Extract<ImportLine, { kind: 'manager' }>,
  { user, createsUser }: ImportFacts,
  { update }: ImportOptions,
): Planned => {
  const [person, boss] = [user(email), user(manager)]
  if (boss === undefined && !createsUser(manager))
    return error(`manager: no user has the address ${manager}, and the file has none either`)
  if (person === undefined && !createsUser(email)) return error(`${email} is not imported`)
  if (email.toLowerCase() === manager.toLowerCase()) return error('manager: must not be the user itself')
  const before = person?.profile.managerId
  if (person !== undefined && before !== undefined && before === boss?.id) return none
  if (before !== undefined && !update) return exists
  return {
    action: 'update',
    changes: [{ field: 'managerId', from: before ?? null, to: boss?.id ?? manager }],
  }
}

const planMember = (
  { email, group: name }: Extract<ImportLine, { kind: 'member' }>,
  { user, group, isMember, createsUser, createsGroup }: ImportFacts,
): Planned => {
  const [person, target] = [user(email), group(name)]
  if (person === undefined && !createsUser(email)) return error(`${email} is not imported`)
  if (target === undefined && !createsGroup(name)) return error(`the group ${name} is not imported`)
  if (person !== undefined && target !== undefined && isMember(target.id, person.id)) return none
  return { action: 'add', changes: [] }
}

export const planLine = (line: ImportLine, facts: ImportFacts, options: ImportOptions): Planned => {
  if (line.problem !== undefined) return error(line.problem)
  switch (line.kind) {
    case 'group':
      return planGroup(line, facts, options)
    case 'user':
      return planUser(line, facts, options)
    case 'manager':
      return planManager(line, facts, options)
    case 'member':
      return planMember(line, facts)
  }
}
