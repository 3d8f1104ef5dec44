/** RFC 7644 §4: `/ServiceProviderConfig`, `/ResourceTypes`, `/Schemas`. */
import {
  resourceTypeDocuments,
  schemaDocuments,
  serviceProviderConfig,
} from '../../../domain/scim/discovery.ts'
import { notFound, ScimError } from '../../../domain/scim/errors.ts'
import { listResponse } from '../../../domain/scim/paging.ts'
import type { ScimAnswer, ScimCall } from './context.ts'

export const scimDiscovery = (base: string) => {
  const collections = {
    ResourceTypes: resourceTypeDocuments(base),
    Schemas: schemaDocuments(base),
  } as const
  const unfiltered = ({ query }: ScimCall): void => {
    if (query.has('filter')) throw new ScimError(403, null, 'Discovery endpoints do not support filters.')
  }
  return {
    configuration: (call: ScimCall): ScimAnswer => {
      unfiltered(call)
      return { status: 200, body: serviceProviderConfig(base) }
    },
    list: (name: keyof typeof collections, call: ScimCall): ScimAnswer => {
      unfiltered(call)
      const documents = collections[name]
      return { status: 200, body: listResponse(documents, documents.length, 1) }
    },
    read: (name: keyof typeof collections, id: string): ScimAnswer => {
      const wanted = id.toLowerCase()
      const body = collections[name].find((document) => document.id.toLowerCase() === wanted)
      if (body === undefined) throw notFound(name === 'Schemas' ? 'schema' : 'resource type', id)
      return { status: 200, body }
    },
  }
}
