import type { Role } from '../../../domain/roles.ts'
import { apiKey, type TestKey } from '../api/api-keys.ts'
import type { TestService } from '../service/service.ts'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

export interface ScimReply {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
  readonly body: any
}

/** A directory with its own key. */
export interface Directory extends TestKey {
  readonly scim: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ScimReply>
  readonly patch: (path: string, ...operations: readonly unknown[]) => Promise<ScimReply>
  /** Creates a user. @returns the resource */
  readonly user: (resource?: Readonly<Record<string, unknown>>) => Promise<ScimReply['body']>
  /** Creates a group. @returns the resource */
  readonly group: (displayName: string, ...members: readonly string[]) => Promise<ScimReply['body']>
}

let made = 0

export const scimRequest = async (
  service: Pick<TestService, 'publicUrl'>,
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<ScimReply> => {
  const response = await fetch(`${service.publicUrl}/scim/v2${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/scim+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

export const directory = async (
  service: Pick<TestService, 'core' | 'api' | 'publicUrl'>,
  roles: readonly Role[] = ['user_admin'],
): Promise<Directory> => {
  const key = await apiKey(service, { roles, scopes: ['scim'] })
  const scim: Directory['scim'] = (method, path, body, headers = {}) =>
    scimRequest(service, method, path, body, { ...key.headers, ...headers })
  const created = async (path: string, resource: unknown) => {
    const { status, body } = await scim('POST', path, resource)
    if (status !== 201) throw new Error(`${path}: ${String(status)} ${JSON.stringify(body)}`)
    return body
  }
  return {
    ...key,
    scim,
    patch: (path, ...Operations) => scim('PATCH', path, { schemas: [PATCH_OP], Operations }),
    user: (resource = {}) => {
      const n = String(++made)
      return created('/Users', {
        schemas: [USER],
        userName: `person${n}@directory.example`,
        name: { givenName: 'Given', familyName: `Family${n}` },
        ...resource,
      })
    },
    group: (displayName, ...members) =>
      created('/Groups', {
        schemas: [GROUP],
        displayName,
        members: members.map((value) => ({ value })),
      }),
  }
}
