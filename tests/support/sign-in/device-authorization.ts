import { expect } from 'chai'
import { hashSecret } from '../../../adapters/engines/vault/hash.ts'
import type { TestPerson, TestService } from '../service/service.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

export const CLI_SCOPE = 'openid profile email groups offline_access'
export const ADMIN_CLI_SCOPE = 'openid profile email admin'

/** Speaks the device grant (RFC 8628) as the command-line client does, and approves as its user does. */
export const deviceWorld = (service: TestService) => {
  const { workPool } = service.core

  const post = async (
    path: string,
    form: Readonly<Record<string, string>> | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; headers: Headers; body: Json }> => {
    const response = await fetch(`${service.publicUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  const begin = (
    fields: Readonly<Record<string, string>> | string = {},
    headers: Readonly<Record<string, string>> = {},
  ) =>
    post(
      '/oauth2/device_authorization',
      typeof fields === 'string'
        ? fields
        : {
            ...(headers['Authorization'] === undefined ? { client_id: 'svc-cli' } : {}),
            scope: CLI_SCOPE,
            ...fields,
          },
      headers,
    )

  const poll = (deviceCode: string, clientId = 'svc-cli') =>
    post('/oauth2/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: deviceCode,
      client_id: clientId,
    })

  const decide =
    (what: 'approve' | 'deny') =>
    (userCode: string, as: TestPerson, headers: Record<string, string> = {}) =>
      service.api('POST', `/device/${userCode}/${what}`, { as, headers })
  const tryApprove = decide('approve')

  const approve = async (userCode: string, as: TestPerson): Promise<void> => {
    const { status, body } = await tryApprove(userCode, as)
    expect(status, JSON.stringify(body)).to.equal(204)
  }

  const signIn = async (as: TestPerson, scope = CLI_SCOPE) => {
    const { body } = await begin({ scope })
    await approve(body.user_code, as)
    const tokens = await poll(body.device_code)
    expect(tokens.status, JSON.stringify(tokens.body)).to.equal(200)
    return tokens
  }

  return {
    begin,
    poll,
    tryApprove,
    approve,
    deny: decide('deny'),

    /** The whole flow. */
    signIn,

    /** The same for administration. @returns the headers of requests with the user's roles, and the token in them */
    administer: async (as: TestPerson): Promise<{ headers: { Authorization: string }; token: string }> => {
      const token = String((await signIn(as, ADMIN_CLI_SCOPE)).body.access_token)
      return { headers: { Authorization: `Bearer ${token}` }, token }
    },

    /** Moves the last poll into the past. */
    pollAgo: (deviceCode: string, seconds: number) =>
      workPool.query(
        `update work.device_login set polled_at = polled_at - make_interval(secs => $2) where device_code = $1`,
        [hashSecret(deviceCode), seconds],
      ),

    intervalOf: async (deviceCode: string): Promise<number> => {
      const { rows } = await workPool.query<{ interval: number }>(
        'select interval_seconds as interval from work.device_login where device_code = $1',
        [hashSecret(deviceCode)],
      )
      return rows[0]?.interval ?? 0
    },

    /** Makes everything that is waiting expire. */
    expire: () => workPool.query('update work.device_login set expires_at = now()'),

    /** The built-in application, as an administrator sees it. */
    application: async (as: TestPerson): Promise<Json> => {
      const { body } = await service.api('GET', '/applications', { as })
      return (body as Json[]).find(({ clientId }) => clientId === 'svc-cli')
    },
  }
}

export type DeviceWorld = ReturnType<typeof deviceWorld>
