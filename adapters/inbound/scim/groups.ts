/** RFC 7644 §3: `/Groups`. Directories manage their own memberships; manual, rule and package memberships stay. */
import { isId } from '../../../domain/ids.ts'
import { badRequest, notFound } from '../../../domain/scim/errors.ts'
import { parseGroupFilter } from '../../../domain/scim/filter.ts'
import {
  groupBase,
  groupFields,
  groupResource,
  type GroupFields,
} from '../../../domain/scim/group-resource.ts'
import { isOfMembers, memberChangeOf, memberIds, type MemberChange } from '../../../domain/scim/members.ts'
import { readResource } from '../../../domain/scim/normalise.ts'
import { listResponse, readPaging } from '../../../domain/scim/paging.ts'
import { applyStep, readSteps } from '../../../domain/scim/patch.ts'
import { attributeOf, groupType } from '../../../domain/scim/schemas.ts'
import { holds, selected, type Selection } from '../../../domain/scim/selection.ts'
import {
  findDirectoryGroup,
  groupsBy,
  groupsCount,
  groupsPage,
  hasMoreMembers,
  membersOf,
  memberSources,
  readCount,
  readGroups,
  type StoredGroup,
} from '../../../read-models/queries/scim.ts'
import { readBack } from '../http/schemas.ts'
import { groupCommands } from '../../application/commands/groups.ts'
import { scimMembers } from '../../application/commands/scim-members.ts'
import { noContent, selectionOf, type ScimAnswer, type ScimCall, type ScimContext } from './context.ts'
import { checkGroup } from './profile-check.ts'

/** Maximum number of groups whose members are in memory at the same time. */
const GROUPS_AT_ONCE = 20
/** The response to a change omits the members of larger groups: Entra ID and Okta do not read them. */
const SHOWN_MEMBERS = 1000

const membersAttribute = attributeOf(groupType.schema.attributes, 'members')

export const scimGroups = ({ services, base }: ScimContext) => {
  const { pool, lookups, clock } = services
  const groups = groupCommands(services)
  const members = scimMembers(services)

  const existingGroup = async (id: string): Promise<StoredGroup> => {
    const group = isId('group', id) ? await findDirectoryGroup(lookups, id) : null
    if (group === null) throw notFound('group', id)
    return group
  }

  const shown = async (some: readonly StoredGroup[], selection: Selection) => {
    const ids = some.map(({ id }) => id)
    const of = holds(selection, 'members') ? await membersOf(pool, ids, clock.now()) : null
    return some.map((group) =>
      selected(selection, groupResource(group, base, of === null ? undefined : (of.get(group.id) ?? []))),
    )
  }

  /** A page of groups contains the members of each group, so it is written a few groups at a time. */
  async function* pieces(
    some: readonly StoredGroup[],
    total: number,
    startIndex: number,
    selection: Selection,
  ) {
    const { Resources: _, ...head } = listResponse(some, total, startIndex)
    yield `${JSON.stringify(head).slice(0, -1)},"Resources":[`
    for (let i = 0; i < some.length; i += GROUPS_AT_ONCE) {
      const texts = await shown(some.slice(i, i + GROUPS_AT_ONCE), selection)
      yield (i === 0 ? '' : ',') + texts.map((each) => JSON.stringify(each)).join(',')
    }
    yield ']}'
  }

  const answer = async (
    status: number,
    group: StoredGroup,
    { query }: ScimCall,
    selection = selectionOf(query, groupType),
  ): Promise<ScimAnswer> => {
    const [body] = await shown([group], selection)
    return { status, body, location: `${base}/Groups/${group.id}` }
  }

  const write = async (group: StoredGroup, wanted: GroupFields, { actor }: ScimCall): Promise<void> => {
    const { name, externalId } = wanted
    const fields = {
      ...(name === group.name ? {} : { name }),
      ...(externalId === group.externalId ? {} : { externalId }),
      // An external id makes the directory manage the group, unless the group has a rule.
      ...(externalId === null || externalId === group.externalId || group.ruled ? {} : { source: 'scim' }),
    }
    if (Object.keys(fields).length === 0) return
    checkGroup(fields)
    await groups.update(group.id, fields, undefined, actor)
  }

  /** Returns the members that a change adds and removes, given the current ones. */
  const differenceOf = async (groupId: string, { whole, add, remove }: MemberChange) => {
    const among = whole ? null : [...add, ...remove]
    const { all, byScim } = await memberSources(pool, groupId, among, clock.now())
    return {
      // Members that the directory adds explicitly become its own; existing members in a full list do not change.
      add: [...add].filter((id) => !(whole ? all : byScim).has(id)),
      remove: [...byScim].filter((id) => (whole ? !add.has(id) : remove.has(id))),
    }
  }

  const idsIn = (value: unknown): readonly string[] =>
    membersAttribute === undefined ? [] : [...new Set(memberIds(membersAttribute, value))]

  return {
    list: async ({ query }: ScimCall): Promise<ScimAnswer> => {
      const filter = query.get('filter')
      const paging = readPaging(query.get('startIndex'), query.get('count'))
      const { startIndex, count } = paging
      const selection = selectionOf(query, groupType)
      if (filter !== null && filter !== '') {
        const statement = groupsBy(parseGroupFilter(filter, groupType.schema.id), clock.now())
        const some = await readGroups(lookups, statement)
        const page = some.slice(startIndex - 1, startIndex - 1 + count)
        return { status: 200, body: listResponse(await shown(page, selection), some.length, startIndex) }
      }
      const total = await readCount(lookups, groupsCount)
      const some = count === 0 ? [] : await readGroups(lookups, groupsPage(paging, total))
      return { status: 200, pieces: pieces(some, total, startIndex, selection) }
    },

    read: async (id: string, call: ScimCall): Promise<ScimAnswer> =>
      answer(200, await existingGroup(id), call),

    create: async (call: ScimCall): Promise<ScimAnswer> => {
      const resource = readResource(groupType, await call.body())
      const { name, externalId } = groupFields(resource)
      const add = idsIn(resource.core['members'])
      checkGroup({ name, externalId })
      await members.mustExist(add)
      const { groupId, version } = await groups.create(
        { name, ...(externalId === null ? {} : { externalId }), source: 'scim' },
        call.actor,
      )
      await members.change(groupId, { add, remove: [] }, call.actor)
      return answer(201, await readBack(findDirectoryGroup(lookups, groupId), version), call)
    },

    /** The members of a group with a rule are read-only here: those in a full resource are ignored. */
    replace: async (id: string, call: ScimCall): Promise<ScimAnswer> => {
      const resource = readResource(groupType, await call.body())
      const wanted = groupFields(resource)
      const group = await existingGroup(id)
      const whole = new Set(idsIn(resource.core['members']))
      const change = group.ruled
        ? { add: [], remove: [] }
        : await differenceOf(id, { whole: true, add: whole, remove: new Set() })
      await members.mustExist(change.add)
      await write(group, wanted, call)
      await members.change(id, change, call.actor)
      return answer(200, await existingGroup(id), call)
    },

    patch: async (id: string, call: ScimCall): Promise<ScimAnswer> => {
      const steps = readSteps(groupType, await call.body())
      const group = await existingGroup(id)
      const base = groupBase(group)
      const wanted = groupFields(steps.filter((step) => !isOfMembers(step)).reduce(applyStep, base))
      const ofMembers = steps.filter(isOfMembers)
      if (ofMembers.length > 0 && group.ruled)
        throw badRequest('mutability', 'members: cannot be changed, because this group has a rule')
      const change = await differenceOf(id, memberChangeOf(ofMembers))
      await members.mustExist(change.add)
      await write(group, wanted, call)
      if (change.add.length > 0 || change.remove.length > 0) await members.change(id, change, call.actor)
      const selection = selectionOf(call.query, groupType)
      const short =
        holds(selection, 'members') && !(await hasMoreMembers(pool, id, SHOWN_MEMBERS, clock.now()))
      return short ? answer(200, await existingGroup(id), call, selection) : noContent
    },

    remove: async (id: string, call: ScimCall): Promise<ScimAnswer> => {
      await existingGroup(id)
      await groups.delete(id, call.actor)
      return noContent
    },
  }
}
