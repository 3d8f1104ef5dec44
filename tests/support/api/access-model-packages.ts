/** The steps of the model of access that are about access packages. */
import type { Act, ModelGroup, ModelPackage, ModelPerson } from './access-model-types.ts'

type PackageStep = 'give_package' | 'give_package_briefly' | 'take_package' | 'change_package'

/** Returns the request of a step; null if it has no object. */
export const packageAct = (
  kind: PackageStep,
  {
    person,
    group,
    accessPackage,
    until,
  }: {
    readonly person: ModelPerson
    readonly group: ModelGroup
    readonly accessPackage: ModelPackage
    /** When a brief assignment ends */
    readonly until: Date
  },
): Act | null => {
  const gone = person.status === 'deleted'
  const give = (expiresAt: Date | null): Act => ({
    method: 'POST',
    path: `/access-packages/${accessPackage.id}/assignments`,
    body: { userId: person.userId, ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }) },
    statuses: gone ? [422] : accessPackage.holders.has(person) ? [409] : [201],
    apply: (record) => {
      accessPackage.holders.set(person, record?.id ?? '')
      accessPackage.lapsed.delete(person)
    },
  })

  switch (kind) {
    case 'give_package':
      return give(null)
    case 'give_package_briefly': {
      const given = give(until)
      return {
        ...given,
        statuses: [...given.statuses, 422],
        until: until.toISOString(),
        apply: () => accessPackage.lapsed.add(person),
      }
    }
    case 'take_package': {
      const assignmentId = accessPackage.holders.get(person)
      if (assignmentId === undefined) return null
      return {
        method: 'DELETE',
        path: `/access-packages/${accessPackage.id}/assignments/${assignmentId}`,
        statuses: gone ? [404] : [204],
        apply: () => accessPackage.holders.delete(person),
      }
    }
    case 'change_package': {
      const groups = new Set(accessPackage.groups)
      if (!groups.delete(group)) groups.add(group)
      if (groups.size === 0) return null
      return {
        method: 'PATCH',
        path: `/access-packages/${accessPackage.id}`,
        body: { grants: [...groups].map(({ id }) => ({ type: 'group', groupId: id })) },
        statuses: [200],
        apply: () => {
          accessPackage.groups.clear()
          for (const one of groups) accessPackage.groups.add(one)
        },
      }
    }
  }
}
