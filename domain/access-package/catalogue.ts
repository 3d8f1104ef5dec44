import { entityManagement, low } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { AccessPackageEvent } from './events.ts'

const accessPackage = (data: { packageId: string }) => ({ type: 'access_package', id: data.packageId })

const plain = {
  schema: 1,
  target: accessPackage,
  personal: [],
  subject: nobody,
  consequences: noConsequences,
} as const

export const accessPackageEvents = {
  'access_package.created': {
    ...plain,
    audit: 'access_package.create',
    ocsf: entityManagement('Create'),
    summary: ({ name }) => `Created the access package ${name}`,
  },
  'access_package.updated': {
    ...plain,
    audit: 'access_package.update',
    ocsf: entityManagement('Update', low),
    summary: (_, { target }) => `Updated the access package ${target}`,
    // Groups that it no longer grants are taken from those who have it.
    consequences: { ...noConsequences, takesAway: true, movesPackageAccess: 'delivery' },
  },
  'access_package.published': {
    ...plain,
    audit: 'access_package.publish',
    ocsf: entityManagement('Enable'),
    summary: (_, { target }) => `Published the access package ${target}`,
  },
  'access_package.archived': {
    ...plain,
    audit: 'access_package.archive',
    ocsf: entityManagement('Disable'),
    summary: (_, { target }) => `Archived the access package ${target}`,
  },
  'access_package.deleted': {
    ...plain,
    audit: 'access_package.delete',
    ocsf: entityManagement('Delete', low),
    summary: (_, { target }) => `Deleted the access package ${target}`,
  },
} as const satisfies Rows<AccessPackageEvent>
