/** What the service providers of others have in common here. */
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { until } from '../support/until.ts'
import { newRsaKey } from '../../adapters/engines/vault/rsa-key.ts'
import { newCertificate } from '../../adapters/engines/vault/certificate.ts'

/** Whom a service provider takes a person for; what it does not know is empty. */
export interface Recognised {
  readonly nameId: string
  readonly email: string
  readonly name: string
  readonly groups: readonly string[]
}

/** A service provider at work. `page` wants a person signed in, and shows them as `Recognised` in JSON. */
export interface SamlStack {
  readonly page: string
  /** Leads to that page by a request of HTTP-POST, where it can send one; otherwise they are of HTTP-Redirect. */
  readonly pageByPost?: string
  /** The address of its metadata. */
  readonly metadataUrl: string
  /** Replaces what it knows of its identity provider. */
  readonly trust: (idpMetadata: string) => Promise<void>
  readonly errorLog: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Starts a service provider that knows its identity provider by its metadata. */
export type StartSamlStack = (idp: {
  readonly entityId: string
  readonly metadata: string
}) => Promise<SamlStack>

/** What a service provider signs its requests with. */
export const providerKey = async (): Promise<{ readonly certificate: string; readonly key: string }> => {
  const made = await newCertificate('Service provider', await newRsaKey(), {
    now: new Date().toISOString().replace('Z', '000Z'),
    random: randomBytes,
  })
  return { certificate: made.certificatePem, key: made.privateKeyPem }
}

/** Where a browser without a screen ends up, keeping cookies and following redirects of the service provider alone. */
export const recognisedBy = async (
  { page }: SamlStack,
  acsUrl: string,
  response: string,
): Promise<Recognised | null> => {
  const cookies = new Map<string, string>()
  const visit = async (url: string, body?: URLSearchParams): Promise<Response> => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const SAMLResponse = Buffer.from(response).toString('base64')
  const posted = await visit(acsUrl, new URLSearchParams({ SAMLResponse, RelayState: page })).catch(
    () => null,
  )
  if (posted === null) {
    // A hostile message can bring down the process that reads it; another one takes its place.
    await until(() => visit(page).then(Boolean, () => false), 15_000, page)
    return null
  }
  let answer = posted
  for (let left = 5; left > 0; left -= 1) {
    const next = answer.headers.get('Location')
    if (next === null || new URL(next, page).origin !== new URL(page).origin) break
    answer = await visit(new URL(next, page).href)
  }
  answer = await visit(page)
  const isPage = answer.headers.get('Content-Type')?.startsWith('application/json') === true
  return isPage ? ((await answer.json()) as Recognised) : null
}

/** What modules of Apache state about a user, in headers of requests that they let through. */
export const recognisedHeaders = (variables: Readonly<Record<keyof Recognised, string>>): readonly string[] =>
  Object.entries(variables).map(
    ([name, variable]) => `RequestHeader set X-Recognised-${name} "%{${variable}}e" env=${variable}`,
  )

/** Shows the values of those headers. */
export const recognisingApplication: RequestListener = (request, response) => {
  const header = (name: string): string => {
    const value = request.headers[`x-recognised-${name.toLowerCase()}`]
    return typeof value === 'string' ? Buffer.from(value, 'latin1').toString() : ''
  }
  const recognised: Recognised = {
    nameId: header('nameId'),
    email: header('email'),
    name: header('name'),
    groups: header('groups').split(';').filter(Boolean),
  }
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(recognised))
}
