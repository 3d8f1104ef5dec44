/** The common parts of third-party service providers. */
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { until } from '../support/until.ts'
import { newRsaKey } from '../../adapters/engines/vault/rsa-key.ts'
import { newCertificate } from '../../adapters/engines/vault/certificate.ts'

/** The user as a service provider sees them; unknown fields are empty. */
export interface Recognised {
  readonly nameId: string
  readonly email: string
  readonly name: string
  readonly groups: readonly string[]
}

/** A running service provider. `page` requires a signed-in user, and returns them as `Recognised` in JSON. */
export interface SamlStack {
  readonly page: string
  /** The same page with a request by HTTP-POST, if supported; other requests use HTTP-Redirect */
  readonly pageByPost?: string
  /** The address of its metadata */
  readonly metadataUrl: string
  /** Replaces the metadata of its identity provider. */
  readonly trust: (idpMetadata: string) => Promise<void>
  readonly errorLog: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Starts a service provider with the metadata of its identity provider. */
export type StartSamlStack = (idp: {
  readonly entityId: string
  readonly metadata: string
}) => Promise<SamlStack>

/** Creates a key with which a service provider signs its requests. */
export const providerKey = async (): Promise<{ readonly certificate: string; readonly key: string }> => {
  const made = await newCertificate('Service provider', await newRsaKey(), {
    now: new Date().toISOString().replace('Z', '000Z'),
    random: randomBytes,
  })
  return { certificate: made.certificatePem, key: made.privateKeyPem }
}

/** Returns the user after following the redirects of the service provider, with cookies. */
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
    // A hostile message can crash the process that reads it; a new process replaces it.
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

/** The headers with which Apache modules pass on the user. */
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
