/**
 * The effect of a PATCH on the members of a group, as a difference: a group may have more members than fit
 * into memory.
 */
import { badRequest } from './errors.ts'
import { readValue, type Complex } from './normalise.ts'
import type { Step } from './patch.ts'
import type { Attribute } from './schemas.ts'

export interface MemberChange {
  /** Whether members who are not added are removed. */
  readonly whole: boolean
  readonly add: ReadonlySet<string>
  readonly remove: ReadonlySet<string>
}

export const isOfMembers = ({ target: { of, attribute } }: Step): boolean =>
  of === 'core' && attribute.name === 'members'

/** @throws ScimError invalidValue for a member without an id */
export const memberIds = (attribute: Attribute, value: unknown): readonly string[] =>
  ((readValue(attribute, value) ?? []) as readonly Complex[]).map(({ value: id }) => {
    if (typeof id !== 'string') throw badRequest('invalidValue', 'members: expected members with a value')
    return id
  })

const idsOf = ({ target: { attribute, sub, filter }, value, op }: Step): readonly string[] => {
  if (filter === undefined && sub === undefined) return memberIds(attribute, value)
  if (filter?.sub.name !== 'value')
    throw badRequest('invalidFilter', 'members: expected a filter such as members[value eq "usr_…"]')
  if (op !== 'remove' || sub !== undefined)
    throw badRequest('mutability', 'members: must be added and removed as a whole')
  return [String(filter.value)]
}

/**
 * Adds the members' operations of a PATCH to the change, in order.
 * @throws ScimError invalidValue, invalidFilter, mutability
 */
export const memberChangeOf = (steps: readonly Step[]): MemberChange => {
  let whole = false
  const add = new Set<string>()
  const remove = new Set<string>()
  for (const step of steps) {
    const ids = idsOf(step)
    const { op, value, target } = step
    const all = op === 'remove' && target.filter === undefined && (value === undefined || value === null)
    if (op === 'replace' || all) {
      whole = true
      add.clear()
      remove.clear()
    }
    for (const id of ids) {
      const [to, from] = op === 'remove' ? [remove, add] : [add, remove]
      to.add(id)
      from.delete(id)
    }
  }
  return { whole, add, remove }
}
