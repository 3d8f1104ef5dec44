import { startPlace, success, type Answer, type Json, type Place } from './support.ts'

/** A running service, and the requests that specs of service accounts and their keys send to it. */
export interface AccountsPlace extends Place {
  /**
   * Creates a service account.
   * @returns its record
   */
  readonly account: (body: object) => Promise<Json>
  /**
   * Creates a key of an account.
   * @returns its record, with `key`
   */
  readonly keyFor: (id: string, body?: object) => Promise<Json>
  readonly withKey: (
    key: string,
    method?: string,
    path?: string,
    headers?: Record<string, string>,
  ) => Promise<Answer>
}

export const startAccountsPlace = async (): Promise<AccountsPlace> => {
  const place = await startPlace()
  return {
    ...place,
    account: async (body) => success(await place.send('POST', '/service-accounts', body), 201),
    keyFor: async (id, body = {}) =>
      success(
        await place.send('POST', `/service-accounts/${id}/keys`, { name: 'k', scopes: ['api'], ...body }),
        201,
      ),
    withKey: (key, method = 'GET', path = '/overview', headers = {}) =>
      place.service.api(method, path, { headers: { Authorization: `Bearer ${key}`, ...headers } }),
  }
}
