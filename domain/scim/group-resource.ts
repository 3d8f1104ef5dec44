/** RFC 7643 §4.2: a group as a SCIM resource. */
import { badRequest } from './errors.ts'
import type { Resource } from './normalise.ts'
import { GROUP_URN } from './schemas.ts'
import { metaOf, type Link } from './user-resource.ts'

/** A group from the read models. */
export interface Group {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface GroupFields {
  readonly name: string
  readonly externalId: string | null
}

/** The input of a PATCH. Members are handled separately. */
export const groupBase = ({ name, externalId }: GroupFields): Resource => ({
  core: { displayName: name, ...(externalId === null ? {} : { externalId }) },
  extension: {},
})

/** @throws ScimError invalidValue when displayName is missing */
export const groupFields = ({ core: { displayName, externalId } }: Resource): GroupFields => {
  if (typeof displayName !== 'string') throw badRequest('invalidValue', 'displayName: is missing')
  return { name: displayName, externalId: typeof externalId === 'string' ? externalId : null }
}

/**
 *
 * @param base address of the SCIM server, without a trailing slash
 * @param members omitted if not requested
 */
export const groupResource = (group: Group, base: string, members?: readonly Link[]) => ({
  schemas: [GROUP_URN],
  id: group.id,
  ...(group.externalId === null ? {} : { externalId: group.externalId }),
  displayName: group.name,
  ...(members === undefined
    ? {}
    : {
        members: members.map(({ id, name }) => ({
          value: id,
          $ref: `${base}/Users/${id}`,
          display: name,
          type: 'User',
        })),
      }),
  meta: metaOf('Group', group.id, group, base),
})
