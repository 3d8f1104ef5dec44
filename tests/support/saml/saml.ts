import { SAML, ValidateInResponseTo, type Profile, type SamlConfig } from '@node-saml/node-saml'
import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { applicationDecider, applicationStream } from '../../../domain/application/decider.ts'
import type { SamlInput } from '../../../domain/application/saml-settings.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import type { OidcWorld } from '../oidc/oidc.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

/** An authentication request as service providers send it. */
export const authnRequestXml = (
  options: {
    readonly issuer?: string
    readonly id?: string
    readonly issueInstant?: string
    /** Further attributes, with a space before each. */
    readonly attributes?: string
    /** What follows the issuer. */
    readonly content?: string
  } = {},
): string => {
  const { issuer = 'https://app.example.com', id = `_${randomBytes(16).toString('hex')}` } = options
  const { issueInstant = new Date().toISOString(), attributes = '', content = '' } = options
  return (
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ` +
    `xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" ` +
    `IssueInstant="${issueInstant}"${attributes}><saml:Issuer>${issuer}</saml:Issuer>${content}</samlp:AuthnRequest>`
  )
}

/** A SAML application, with what its registration returned. */
export interface TestServiceProvider {
  readonly applicationId: string
  readonly name: string
  readonly entityId: string
  readonly acsUrl: string
  /** Empty if no user may use the application. */
  readonly groupId: string
}

/** A form that submits itself. */
export interface SelfPostingForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string | undefined>>
}

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) =>
    name === 'amp' ? '&' : name === 'lt' ? '<' : name === 'gt' ? '>' : name === 'quot' ? '"' : "'",
  )

/** The form of our auto-post page. @throws Error if the page has none */
export const formIn = (html: string): SelfPostingForm => {
  const action = /<form method="post" action="([^"]*)" data-submit>/.exec(html)?.[1]
  if (action === undefined) throw new Error(`no form that posts itself in ${html}`)
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return {
    action: unescaped(action),
    fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, unescaped(value)])),
  }
}

/** `?SAMLRequest=…` as defined by the HTTP-Redirect binding. */
export const redirectQuery = (xml: string, relayState?: string): string =>
  `?SAMLRequest=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}` +
  (relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`)

let made = 0

/** Creates service providers in a service. */
export const samlWorld = (service: TestService, world: OidcWorld) => {
  const { services } = service.core
  const ssoUrl = `${service.publicUrl}/saml/sso`

  const provider = async (
    saml: SamlInput = {},
    options: { groups?: 'one' | 'none' } = {},
  ): Promise<TestServiceProvider> => {
    const applicationId = newId('application')
    const groupId = options.groups === 'none' ? '' : await world.group()
    const n = String(++made)
    const { entityId = `https://sp${n}.example.com`, acsUrls = [`https://sp${n}.example.com/acs`] } = saml
    const name = `Provider ${n}`
    await services.handle(
      applicationDecider,
      applicationStream(applicationId),
      {
        type: 'create_saml',
        applicationId,
        fields: { name },
        saml: { ...saml, entityId, acsUrls },
        groupIds: groupId === '' ? [] : [groupId],
      },
      system,
    )
    return { applicationId, name, entityId, acsUrl: acsUrls[0] ?? '', groupId }
  }

  const member = async (sp: TestServiceProvider, profile = {}): Promise<TestPerson> => {
    const person = await service.person(profile)
    await world.join(sp.groupId, person.userId)
    return person
  }

  /** The application's side, with another implementation than ours; it trusts the current certificate. */
  const client = async (sp: TestServiceProvider, options: Partial<SamlConfig> = {}): Promise<SAML> => {
    const { samlCertificate } = await services.configuration.fresh()
    return new SAML({
      entryPoint: ssoUrl,
      issuer: sp.entityId,
      callbackUrl: sp.acsUrl,
      idpCert: samlCertificate?.certificatePem ?? '',
      idpIssuer: `${service.publicUrl}/saml/metadata`,
      audience: sp.entityId,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      validateInResponseTo: ValidateInResponseTo.always,
      ...options,
    })
  }

  /** Opens an address of this service in a browser. */
  const get = (url: string, person: Pick<TestPerson, 'cookie'> | null) =>
    world.browse(url.replace(service.publicUrl, ''), person)

  const post = (fields: Readonly<Record<string, string>>, person: Pick<TestPerson, 'cookie'> | null = null) =>
    world.browse('/saml/sso', person, { method: 'POST', body: new URLSearchParams(fields) })

  /** Sends a hand-written request. */
  const ask = (
    sp: Pick<TestServiceProvider, 'entityId'>,
    person: Pick<TestPerson, 'cookie'> | null,
    options: Omit<NonNullable<Parameters<typeof authnRequestXml>[0]>, 'issuer'> & {
      readonly relayState?: string
    } = {},
  ) => {
    const { relayState, ...rest } = options
    return get(
      `/saml/sso${redirectQuery(authnRequestXml({ issuer: sp.entityId, ...rest }), relayState)}`,
      person,
    )
  }

  /** How the application interprets a posted form. */
  const received = async (saml: SAML, { fields }: SelfPostingForm): Promise<Profile> => {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: fields['SAMLResponse'] ?? '' })
    if (profile === null) throw new Error('no profile')
    return profile
  }

  return { ssoUrl, provider, member, client, get, post, ask, received }
}

export type SamlWorld = ReturnType<typeof samlWorld>
