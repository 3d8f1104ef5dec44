import { Type } from 'typebox'
import { NEW_SCOPE_NAME, SCOPE_NAME } from '../../../domain/api-resource/scopes.ts'
import { fields, idOf } from '../http/route.ts'
import { clearable, line, nullable, prose, Time, Version } from '../http/schemas.ts'

const scopeName = Type.String({
  pattern: SCOPE_NAME,
  title: 'a scope name: 1 to 100 of a-z, 0-9, _ . : - with a letter or digit first',
  examples: ['billing:read'],
})

export const resourceName = line(100, 'Billing API')

/** Excludes the names of the service's own scopes. */
const newScopeName = Type.String({ ...scopeName, pattern: NEW_SCOPE_NAME })

/** Never empty: a grant without scopes is revoked instead. */
export const grantedScopes = Type.Array(scopeName, { minItems: 1, maxItems: 200, uniqueItems: true })

/** The fields of an API resource that an administrator can set, besides its identifier and name. */
export const apiResourceSettings = {
  description: clearable(prose(1000)),
  accessTokenLifetimeSeconds: clearable(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description: "seconds; null: the application's own token lifetime applies",
    }),
  ),
  ownerApplicationIds: Type.Optional(
    Type.Array(idOf('application'), {
      maxItems: 50,
      uniqueItems: true,
      description: 'applications that implement this API',
    }),
  ),
  scopes: Type.Optional(
    Type.Array(fields({ name: newScopeName, description: clearable(prose(1000)) }), {
      maxItems: 200,
      description: 'the complete list; a scope belongs to only one API resource',
    }),
  ),
}

export const ApiResource = Type.Object(
  {
    id: idOf('apiResource'),
    identifier: Type.String({ description: 'the audience of its access tokens; never changes' }),
    name: Type.String(),
    description: nullable(Type.String()),
    scopes: Type.Array(Type.Object({ name: Type.String(), description: nullable(Type.String()) })),
    accessTokenLifetimeSeconds: nullable(Type.Integer()),
    ownerApplicationIds: Type.Array(idOf('application')),
    grantCount: Type.Integer({ description: 'applications with scopes of this API resource' }),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'ApiResource' },
)

export const ApiGrant = Type.Object(
  {
    id: idOf('grant'),
    applicationId: idOf('application'),
    applicationName: Type.String(),
    apiResourceId: idOf('apiResource'),
    scopes: Type.Array(Type.String()),
    grantedAt: { ...Time, description: 'when the scopes were last changed' },
    grantedBy: nullable(Type.String()),
  },
  { title: 'ApiGrant' },
)

interface ScopeInput {
  readonly name: string
  readonly description?: string | null | undefined
}

/** Converts scopes for the rules: a null description is omitted. */
export const toScopes = (scopes: readonly ScopeInput[]) =>
  scopes.map(({ name, description }) => ({
    name,
    ...(description === undefined || description === null ? {} : { description }),
  }))
