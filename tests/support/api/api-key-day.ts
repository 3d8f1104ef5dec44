import { expect } from 'chai'

interface RequestOptions {
  readonly body?: unknown
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Uses an API key correctly, wrongly, and where it is ignored.
 * @returns the key
 */
export const useAKey = async (
  asAdmin: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly id: string; readonly key: string }>,
  request: (method: string, path: string, options: RequestOptions) => Promise<{ readonly status: number }>,
): Promise<string> => {
  const account = await asAdmin('POST', '/service-accounts', { name: 'Sync' })
  const path = `/service-accounts/${account.id}`
  await asAdmin('PUT', `${path}/roles`, { roles: ['user_admin'] })
  const body = { name: 'nightly', scopes: ['api'] }
  const repeatable = { 'Idempotency-Key': 'api-key' }
  const { id, key } = await asAdmin('POST', `${path}/keys`, body, repeatable)
  expect((await asAdmin('POST', `${path}/keys`, body, repeatable)).key).to.equal(key)
  const headers = {
    Authorization: `Bearer ${key}`,
    'X-Forwarded-For': '198.51.100.8',
    'User-Agent': 'a program',
  }
  const asKey = (method: string, to: string, more: RequestOptions = {}) =>
    request(method, `/api/v1${to}`, { ...more, headers })
  expect((await asKey('GET', '/groups')).status).to.equal(200)
  expect((await asKey('POST', '/groups', { body: { name: 'By a program' } })).status).to.equal(201)
  const misplaced: readonly (readonly [method: string, to: string, more?: RequestOptions])[] = [
    ['GET', '/settings/nowhere'],
    ['GET', '/me'],
    ['POST', '/groups', { body: { name: key, rule: key } }],
    ['POST', '/groups', { raw: `{"name":"${key}` }],
    ['GET', `/api-keys/${key}`],
    ['GET', `/groups?cursor=${key}`],
  ]
  for (const [method, to, more] of misplaced) await asKey(method, to, more)
  await asAdmin('DELETE', `/api-keys/${id}`)
  expect((await asKey('GET', '/groups')).status).to.equal(401)
  return key
}
