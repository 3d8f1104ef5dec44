/** Requests to a service that runs in another process, possibly of another release. */

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Reply {
  /** Method and address of the request. */
  readonly to: string
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface Sent {
  /** JSON, or a form. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly cookie?: string
}

export const request = async (
  url: string,
  method: string,
  { body, headers = {}, cookie }: Sent = {},
): Promise<Reply> => {
  const form = body instanceof URLSearchParams
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined || form ? {} : { 'Content-Type': 'application/json' }),
      ...(cookie === undefined ? {} : { Cookie: cookie }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
  return {
    to: `${method} ${url}`,
    status: response.status,
    headers: response.headers,
    body: json && text !== '' ? JSON.parse(text) : text,
  }
}

/** The body of a successful response. @throws Error with the response if it is not successful */
export const succeeded = ({ to, status, body }: Reply): Json => {
  if (status >= 400) throw new Error(`${to}: ${String(status)} ${JSON.stringify(body)}`)
  return body
}

/** The `Cookie` header of a browser after a response. */
export const cookiesOf = ({ headers }: Reply): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0] ?? '')
    .join('; ')
