/** What the service providers of others have in common here. */
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { newCertificate } from '../../adapters/saml/certificate.ts'

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
  /** Where it tells of itself. */
  readonly metadataUrl: string
  /** Where responses are posted to. */
  readonly acsUrl: string
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
  const made = await newCertificate('Service provider', {
    now: new Date().toISOString().replace('Z', '000Z'),
    random: randomBytes,
  })
  return { certificate: made.certificatePem, key: made.privateKeyPem }
}

/** What modules of Apache have to say of a person, in headers of requests that they let through. */
export const recognisedHeaders = (variables: Readonly<Record<keyof Recognised, string>>): readonly string[] =>
  Object.entries(variables).map(
    ([name, variable]) => `RequestHeader set X-Recognised-${name} "%{${variable}}e" env=${variable}`,
  )

/** Shows what those headers say. */
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
