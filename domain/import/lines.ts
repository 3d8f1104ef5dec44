/**
 * The lines of an import: one change each, in an order in which they can be made. Groups come first, then users, then
 * their managers and memberships.
 */
import type { ImportedGroup, ImportedProfile, ImportedRecord, ImportedUser } from './records.ts'

interface Line {
  /** In the file */
  readonly line: number
  /** Why it cannot be imported */
  readonly problem?: string
}

export type ImportLine = Line &
  (
    | { readonly kind: 'group'; readonly name: string; readonly description?: string }
    | { readonly kind: 'user'; readonly profile: ImportedProfile; readonly skipped?: string }
    | { readonly kind: 'manager'; readonly email: string; readonly manager: string }
    | { readonly kind: 'member'; readonly email: string; readonly group: string }
  )

/** Returns what is wrong with a profile or a group; undefined if nothing is. */
export interface LineChecks {
  readonly profile: (profile: ImportedProfile) => string | undefined
  readonly group: (group: { readonly name: string; readonly description?: string }) => string | undefined
}

const withProblem = (problem: string | undefined) => (problem === undefined ? {} : { problem })

/** Returns a function that reports the line on which a value, not case-sensitive, was before. */
const seenBefore = () => {
  const lines = new Map<string, number>()
  return (value: string, line: number): string | undefined => {
    const key = value.toLowerCase()
    const before = lines.get(key)
    if (before === undefined) lines.set(key, line)
    return before === undefined ? undefined : `the same as on line ${String(before)}: ${value}`
  }
}

const groupLines = (
  groups: readonly ImportedGroup[],
  users: readonly ImportedUser[],
  checks: LineChecks,
): readonly ImportLine[] => {
  const seen = seenBefore()
  const known = new Set<string>()
  const named = groups.map(({ line, name, description }): ImportLine => {
    known.add(name.toLowerCase())
    const fields = { name, ...(description === undefined ? {} : { description }) }
    const problem = name === '' ? 'name: is missing' : (checks.group(fields) ?? seen(name, line))
    return { kind: 'group', line, ...fields, ...withProblem(problem) }
  })
  const mentioned = users.flatMap(({ line, groups: names }) =>
    names.flatMap((name): ImportLine[] => {
      if (known.has(name.toLowerCase())) return []
      known.add(name.toLowerCase())
      return [{ kind: 'group', line, name, ...withProblem(checks.group({ name })) }]
    }),
  )
  return [...named, ...mentioned]
}

/** Returns the lines of the records of a file. */
export const linesOf = (records: readonly ImportedRecord[], checks: LineChecks): readonly ImportLine[] => {
  const all = records.filter((record) => record.kind === 'user')
  const seen = seenBefore()
  const users = all.map((user) => {
    const { line, profile, skipped } = user
    const problem =
      skipped !== undefined
        ? undefined
        : profile.email === undefined
          ? 'email: is missing'
          : (checks.profile(profile) ?? seen(profile.email, line))
    const entry: ImportLine = {
      kind: 'user',
      line,
      profile,
      ...(skipped === undefined ? {} : { skipped }),
      ...withProblem(problem),
    }
    return { user, entry, email: problem === undefined && skipped === undefined ? profile.email : undefined }
  })
  const imported = users.flatMap(({ user, email }) => (email === undefined ? [] : [{ ...user, email }]))
  return [
    ...groupLines(
      records.filter((record) => record.kind === 'group'),
      imported,
      checks,
    ),
    ...users.map(({ entry }) => entry),
    ...imported.flatMap(({ line, email, manager }): ImportLine[] =>
      manager === undefined ? [] : [{ kind: 'manager', line, email, manager }],
    ),
    ...imported.flatMap(({ line, email, groups }) =>
      groups.map((group): ImportLine => ({ kind: 'member', line, email, group })),
    ),
  ]
}
