import { nobody, type Rows } from '../catalogue-row.ts'
import type { ApiResourceEvent } from './events.ts'

const resource = (data: { apiResourceId: string }) => ({ type: 'api_resource', id: data.apiResourceId })

export const apiResourceEvents: Rows<ApiResourceEvent> = {
  'api_resource.created': {
    schema: 1,
    audit: 'api_resource.create',
    summary: ({ name }) => `Created the API resource ${name}`,
    target: resource,
    personal: [],
    subject: nobody,
  },
  'api_resource.updated': {
    schema: 1,
    audit: 'api_resource.update',
    summary: (_, { target }) => `Updated the API resource ${target}`,
    target: resource,
    personal: [],
    subject: nobody,
  },
  'api_resource.scope_added': {
    schema: 1,
    audit: 'api_resource.scope.add',
    summary: ({ scope }, { target }) => `Added the scope ${scope.name} to the API resource ${target}`,
    target: resource,
    personal: [],
    subject: nobody,
  },
  'api_resource.scope_described': {
    schema: 1,
    audit: 'api_resource.update',
    summary: ({ name }, { target }) => `Described the scope ${name} of the API resource ${target}`,
    target: resource,
    personal: [],
    subject: nobody,
  },
  'api_resource.scope_removed': {
    schema: 1,
    audit: 'api_resource.scope.remove',
    summary: ({ name }, { target }) => `Removed the scope ${name} from the API resource ${target}`,
    target: resource,
    personal: [],
    subject: nobody,
  },
  'api_resource.deleted': {
    schema: 1,
    audit: 'api_resource.delete',
    summary: (_, { target }) => `Deleted the API resource ${target}`,
    target: resource,
    personal: [],
    subject: nobody,
  },
}
