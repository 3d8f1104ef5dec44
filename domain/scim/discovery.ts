/** RFC 7643 §5 to §7, RFC 7644 §4: the discovery documents of the server. */
import { MAX_RESULTS } from './paging.ts'
import { resourceTypes, SCHEMA_URN, type ResourceType, type Schema } from './schemas.ts'

const CONFIGURATION_URN = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const RESOURCE_TYPE_URN = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'

/** @param base address of the SCIM server, without a trailing slash */
export const serviceProviderConfig = (base: string) => ({
  schemas: [CONFIGURATION_URN],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key with the scope scim, sent as a bearer token',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const resourceTypeDocument = (
  { name, endpoint, description, schema, extension }: ResourceType,
  base: string,
) => ({
  schemas: [RESOURCE_TYPE_URN],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  schemaExtensions: extension === undefined ? [] : [{ schema: extension.id, required: false }],
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
})

const schemas: readonly Schema[] = resourceTypes.flatMap(({ schema, extension }) =>
  extension === undefined ? [schema] : [schema, extension],
)

const schemaDocument = ({ id, name, description, attributes }: Schema, base: string) => ({
  schemas: [SCHEMA_URN],
  id,
  name,
  description,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
})

export const resourceTypeDocuments = (base: string) =>
  resourceTypes.map((type) => resourceTypeDocument(type, base))

export const schemaDocuments = (base: string) => schemas.map((schema) => schemaDocument(schema, base))
