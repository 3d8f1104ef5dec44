/** RFC 7644 §3: `/Users`. */
import { isId } from '../../../domain/ids.ts'
import { notFound } from '../../../domain/scim/errors.ts'
import { parseUserFilter } from '../../../domain/scim/filter.ts'
import { readResource } from '../../../domain/scim/normalise.ts'
import { listResponse, readPaging } from '../../../domain/scim/paging.ts'
import { applyStep, readSteps } from '../../../domain/scim/patch.ts'
import { userType } from '../../../domain/scim/schemas.ts'
import { holds, selected, type Selection } from '../../../domain/scim/selection.ts'
import {
  activeIn,
  changedFields,
  differing,
  resourceOf,
  statedFields,
  userResource,
  type ProfileFields,
} from '../../../domain/scim/user-resource.ts'
import type { Profile } from '../../../domain/user/events.ts'
import {
  findPeople,
  groupsOf,
  peopleBy,
  peopleCount,
  peoplePage,
  readCount,
  readPeople,
  type StoredPerson,
} from '../../../read-models/queries/scim.ts'
import { readBack } from '../http/schemas.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import { mustBeManager } from '../../application/commands/references.ts'
import { userCommands } from '../../application/commands/users.ts'
import { noContent, selectionOf, type ScimAnswer, type ScimCall, type ScimContext } from './context.ts'
import { checkPerson } from './profile-check.ts'

const assigned = ({ email, name, ...optional }: ProfileFields): Profile => ({
  email: email ?? '',
  name: name ?? '',
  ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
})

export const scimUsers = ({ services, base }: ScimContext) => {
  const { pool, lookups, clock } = services
  const users = userCommands(services)
  const findPerson = coalesced((ids: readonly string[]) => findPeople(lookups, ids))
  const groupsOfPerson = coalesced(async (ids: readonly string[]) => {
    const groups = await groupsOf(lookups, ids, clock.now())
    return ids.map((id) => groups.get(id) ?? [])
  })

  const existingPerson = async (id: string): Promise<StoredPerson> => {
    const person = isId('user', id) ? await findPerson(id) : null
    if (person === null) throw notFound('user', id)
    return person
  }

  const groupsOfAll = async (ids: readonly string[]) => {
    const [only, ...others] = ids
    return only !== undefined && others.length === 0
      ? new Map([[only, await groupsOfPerson(only)]])
      : groupsOf(lookups, ids, clock.now())
  }

  const shown = async (people: readonly StoredPerson[], selection: Selection) => {
    const groups = holds(selection, 'groups') ? await groupsOfAll(people.map(({ id }) => id)) : null
    return people.map((person) =>
      selected(
        selection,
        userResource(person, base, groups === null ? undefined : (groups.get(person.id) ?? [])),
      ),
    )
  }

  const answer = async (status: number, person: StoredPerson, { query }: ScimCall): Promise<ScimAnswer> => {
    const [body] = await shown([person], selectionOf(query, userType))
    return { status, body, location: `${base}/Users/${person.id}` }
  }

  /** Directories send their own names and numbers as manager: unknown managers are ignored. */
  const withKnownManager = async (fields: ProfileFields, person?: StoredPerson): Promise<ProfileFields> => {
    const { managerId } = fields
    if (managerId === null || managerId === person?.managerId) return fields
    const isKnown = isId('user', managerId) && (await findPerson(managerId)) !== null
    return isKnown ? fields : { ...fields, managerId: null }
  }

  const carryOut = async (
    person: StoredPerson,
    wanted: ProfileFields,
    active: boolean | undefined,
    call: ScimCall,
  ): Promise<ScimAnswer> => {
    const fields = differing(person, await withKnownManager(wanted, person))
    checkPerson(fields)
    await mustBeManager(pool, fields.managerId, person.id)
    const isActive = person.status !== 'suspended'
    const changes = active === undefined || active === isActive ? undefined : active
    if (Object.keys(fields).length === 0 && changes === undefined) return answer(200, person, call)
    const { version } = await users.provision(person.id, fields, changes, call.roles, call.actor)
    return answer(200, await readBack(findPerson(person.id), version), call)
  }

  return {
    list: async (call: ScimCall): Promise<ScimAnswer> => {
      const { query } = call
      const filter = query.get('filter')
      const paging = readPaging(query.get('startIndex'), query.get('count'))
      const selection = selectionOf(query, userType)
      if (filter !== null && filter !== '') {
        const people = await readPeople(lookups, peopleBy(parseUserFilter(filter, userType.schema.id)))
        const page = people.slice(paging.startIndex - 1, paging.startIndex - 1 + paging.count)
        return {
          status: 200,
          body: listResponse(await shown(page, selection), people.length, paging.startIndex),
        }
      }
      const total = await readCount(lookups, peopleCount)
      const people = paging.count === 0 ? [] : await readPeople(lookups, peoplePage(paging, total))
      return { status: 200, body: listResponse(await shown(people, selection), total, paging.startIndex) }
    },

    read: async (id: string, call: ScimCall): Promise<ScimAnswer> =>
      answer(200, await existingPerson(id), call),

    create: async (call: ScimCall): Promise<ScimAnswer> => {
      const resource = readResource(userType, await call.body())
      const fields = await withKnownManager(statedFields(resource))
      checkPerson(fields)
      await mustBeManager(pool, fields.managerId)
      const { userId, version } = await users.create(
        assigned(fields),
        'scim',
        activeIn(resource) ?? true,
        call.actor,
      )
      return answer(201, await readBack(findPerson(userId), version), call)
    },

    /** A missing `active` or address keeps the current value. */
    replace: async (id: string, call: ScimCall): Promise<ScimAnswer> => {
      const resource = readResource(userType, await call.body())
      const person = await existingPerson(id)
      return carryOut(person, statedFields(resource, person), activeIn(resource), call)
    },

    patch: async (id: string, call: ScimCall): Promise<ScimAnswer> => {
      const steps = readSteps(userType, await call.body())
      const person = await existingPerson(id)
      const before = resourceOf(person)
      const after = steps.reduce(applyStep, before)
      return carryOut(person, changedFields(before, after), activeIn(after), call)
    },

    remove: async (id: string, call: ScimCall): Promise<ScimAnswer> => {
      await existingPerson(id)
      await users.delete(id, call.roles, call.actor)
      return noContent
    },
  }
}
