/** A SAML identity provider that says what a test wants, also what no provider may say. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { sentXml } from '../../../adapters/inbound/saml/markup.ts'
import { assertionXml, responseXml } from '../../../adapters/inbound/saml/response-xml.ts'
import { signElement, type XmlSigner } from '../../../adapters/inbound/saml/sign.ts'
import { newCertificate } from '../../../adapters/engines/vault/certificate.ts'
import { assertionResponse, type Response } from '../../../domain/saml/response.ts'
import { nameIdFormats, namespaces } from '../../../domain/saml/names.ts'
import type { NameId } from '../../../domain/saml/subject.ts'
import { attributeOf, childrenNamed, parseXml, textOf } from '../../../adapters/kernel/xml.ts'

/** The request as the provider reads it. */
export interface ReceivedRequest {
  readonly id: string
  readonly issuer: string
  readonly acsUrl: string
  readonly relayState: string
  readonly forceAuthn: boolean
  /** The query, for its signature */
  readonly query: string
  readonly xml: string
}

export interface SamlUser {
  readonly nameId: NameId
  readonly attributes: Readonly<Record<string, readonly string[]>>
}

export interface ScriptedSamlProvider {
  readonly entityId: string
  readonly ssoUrl: string
  readonly metadataXml: string
  readonly signer: XmlSigner
  /** Whom the next responses are about */
  user: SamlUser
  /** Changes a response before it is signed */
  alter: (response: Response) => Response
  /** Changes the text of a response after it was signed */
  tamper: (xml: string) => string
  /** Signs with something else */
  signWith: XmlSigner | null
  signs: { readonly assertion: boolean; readonly response: boolean }
  /** Reads the address that the service sends the browser to. */
  readonly read: (location: string) => ReceivedRequest
  /** @returns XML */
  readonly respond: (
    request: Pick<ReceivedRequest, 'issuer' | 'acsUrl'> & { id: string | null },
  ) => Promise<string>
  readonly reset: () => void
}

/** @param modulusLength bits of the key */
export const newSigner = async (modulusLength = 2048): Promise<XmlSigner> => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
  const now = new Date().toISOString().replace('Z', '000Z')
  const { certificatePem } = await newCertificate('Contoso', privateKey, { now, random: randomBytes })
  return { privateKey, certificatePem }
}

const newId = (): string => `_${randomUUID()}`

const persistent = (value: string): NameId => ({ format: nameIdFormats.persistent, value })

export const metadataOf = (entityId: string, ssoUrl: string, certificatePem: string): string =>
  `<md:EntityDescriptor xmlns:md="${namespaces.metadata}" entityID="${entityId}">
  <md:IDPSSODescriptor protocolSupportEnumeration="${namespaces.protocol}">
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${namespaces.signature}"><ds:X509Data><ds:X509Certificate>
      ${certificatePem.replaceAll(/-----[A-Z ]+-----/g, '')}
    </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${ssoUrl}/post"/>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoUrl}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`

export const scriptedSamlProvider = async (): Promise<ScriptedSamlProvider> => {
  const entityId = 'https://saml.contoso.example/metadata'
  const ssoUrl = 'https://saml.contoso.example/sso?tenant=1'
  const signer = await newSigner()
  const normal = {
    user: { nameId: persistent('subject-1'), attributes: {} },
    alter: (response: Response) => response,
    tamper: (text: string) => text,
    signWith: null,
    signs: { assertion: true, response: false },
  }

  const provider: ScriptedSamlProvider = {
    ...{ entityId, ssoUrl, signer },
    metadataXml: metadataOf(entityId, ssoUrl.replaceAll('&', '&amp;'), signer.certificatePem),
    ...normal,
    read: (location) => {
      const { search, searchParams } = new URL(location)
      const text = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
      const root = parseXml(text).documentElement
      const [issuer] = childrenNamed(root, namespaces.assertion, 'Issuer')
      return {
        id: attributeOf(root, 'ID') ?? '',
        issuer: issuer === undefined ? '' : textOf(issuer),
        acsUrl: attributeOf(root, 'AssertionConsumerServiceURL') ?? '',
        relayState: searchParams.get('RelayState') ?? '',
        forceAuthn: attributeOf(root, 'ForceAuthn') === 'true',
        query: search.slice(1),
        xml: text,
      }
    },
    respond: async ({ id, issuer, acsUrl }) => {
      const { nameId, attributes } = provider.user
      const now = Date.now()
      const authTime = new Date(now).toISOString().replace('Z', '000Z')
      const response = provider.alter(
        assertionResponse({
          ...{ issuer: entityId, acsUrl, inResponseTo: id, audience: issuer, nowMs: now, nameId },
          ...{ responseId: newId(), assertionId: newId() },
          attributes: Object.entries(attributes).map(([name, values]) => ({ name, values })),
          session: { sessionId: 'ses-upstream', authTime, expiresAt: null },
        }),
      )
      const key = provider.signWith ?? signer
      const { assertion } = response
      const signed =
        assertion === null
          ? null
          : provider.signs.assertion
            ? await signElement(assertion.id, (signature) => assertionXml(assertion, signature), key)
            : assertionXml(assertion, null)
      const whole = (signature: Parameters<typeof responseXml>[2]) => responseXml(response, signed, signature)
      const text = provider.signs.response ? await signElement(response.id, whole, key) : whole(null)
      return provider.tamper(sentXml(text))
    },
    reset: () => Object.assign(provider, normal),
  }
  return provider
}
