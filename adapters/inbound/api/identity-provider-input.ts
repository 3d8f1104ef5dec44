/** How a provider is reached, as administrators send it: field by field, with presets, or as SAML metadata. */
import { X509Certificate } from 'node:crypto'
import { DomainError } from '../../../domain/errors.ts'
import type {
  IdentityProviderType,
  OauthConnection,
  SamlConnection,
} from '../../../domain/identity-provider/events.ts'
import { presetIssuer } from '../../../domain/identity-provider/issuer.ts'
import { readIdpMetadata } from '../saml/idp-metadata.ts'
import { MetadataError } from '../saml/metadata-document.ts'
import type { ConnectionInput } from './identity-provider-schemas.ts'

const invalid = (field: string, message: string): DomainError =>
  new DomainError('ERR_INVALID', `${field.split('/')[0] ?? field}: ${message}`, `/${field}`)

/** Shorter RSA keys can be broken; the library verifies no other signatures. */
const MIN_MODULUS_BITS = 2048

/** A certificate in the form in which it is stored (RFC 7468 §5), from PEM or its base64. */
export const certificatePem = (text: string): string => {
  const body = text.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const lines = body.match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

const certificate = (text: string, index: number): string => {
  const field = `certificates/${String(index)}`
  const pem = certificatePem(text)
  try {
    const { publicKey } = new X509Certificate(pem)
    const { modulusLength = 0 } = publicKey.asymmetricKeyDetails ?? {}
    if (publicKey.asymmetricKeyType === 'rsa' && modulusLength >= MIN_MODULUS_BITS) return pem
  } catch {
    throw invalid(field, 'expected an X.509 certificate in PEM or base64')
  }
  throw invalid(field, `expected certificates with RSA keys of at least ${String(MIN_MODULUS_BITS)} bits`)
}

interface SamlInput extends Partial<SamlConnection> {
  readonly entityId?: string
}

/** What is sent wins over the metadata. @throws DomainError ERR_INVALID */
const samlInput = ({ metadataXml, entityId, ...sent }: ConnectionInput, now: Date): SamlInput => {
  const { ssoUrl, nameIdFormat, acceptUnsolicited } = sent
  const read = (): Partial<ReturnType<typeof readIdpMetadata>> => {
    try {
      return metadataXml === undefined ? {} : readIdpMetadata(metadataXml, now)
    } catch (error) {
      throw error instanceof MetadataError
        ? new DomainError('ERR_INVALID', error.message, '/metadataXml')
        : error
    }
  }
  const { certificates, ...metadata } = {
    ...read(),
    ...(sent.certificates ? { certificates: sent.certificates } : {}),
  }
  return {
    ...metadata,
    ...(entityId === undefined ? {} : { entityId }),
    ...(ssoUrl === undefined ? {} : { ssoUrl }),
    ...(certificates === undefined ? {} : { certificates: certificates.map(certificate) }),
    ...(nameIdFormat === undefined ? {} : { nameIdFormat }),
    ...(acceptUnsolicited === undefined ? {} : { acceptUnsolicited }),
  }
}

/** @throws DomainError ERR_INVALID naming the missing or superfluous field */
const oauthIssuer = (
  type: IdentityProviderType,
  { issuer, tenantId }: Pick<ConnectionInput, 'issuer' | 'tenantId'>,
): string => {
  if (type !== 'microsoft' && tenantId !== undefined) throw invalid('tenantId', 'only for type microsoft')
  if (type === 'oidc' || (type === 'github' && issuer !== undefined)) {
    if (issuer === undefined) throw invalid('issuer', 'expected the issuer identifier of the provider')
    return issuer
  }
  if (issuer !== undefined) throw invalid('issuer', `follows from type ${type}, so it must be omitted`)
  const preset = presetIssuer(type, tenantId)
  if (preset === undefined) throw invalid('tenantId', 'expected the id of the tenant')
  return preset
}

const oauthFields = ({
  clientId,
  clientAuthentication,
  scopes,
}: ConnectionInput): Partial<OauthConnection> => ({
  ...(clientId === undefined ? {} : { clientId }),
  ...(clientAuthentication === undefined ? {} : { clientAuthentication }),
  ...(scopes === undefined ? {} : { scopes }),
})

/**
 * Returns the fields of a new provider.
 * @throws DomainError ERR_INVALID
 */
export const newConnection = (
  type: IdentityProviderType,
  input: ConnectionInput,
  now: Date,
): { readonly issuer: string; readonly fields: OauthConnection | SamlConnection } => {
  // Foreign fields are passed on, so that the decider names them.
  const oauth = oauthFields(input)
  if (type !== 'saml') {
    if (input.metadataXml !== undefined) throw invalid('metadataXml', 'only for type saml')
    if (input.entityId !== undefined) throw invalid('entityId', 'only for type saml')
    const { clientId } = oauth
    if (clientId === undefined) throw invalid('clientId', 'expected the client id that the provider assigned')
    const defaults: Pick<OauthConnection, 'clientAuthentication' | 'scopes'> =
      type === 'github'
        ? { clientAuthentication: 'client_secret_post', scopes: ['read:user', 'user:email'] }
        : { clientAuthentication: 'client_secret_basic', scopes: ['profile', 'email'] }
    return {
      issuer: oauthIssuer(type, input),
      fields: { ...defaults, ...oauth, clientId, ...samlInput(input, now) },
    }
  }
  for (const field of ['issuer', 'tenantId'] as const)
    if (input[field] !== undefined) throw invalid(field, 'not for type saml')
  const { entityId, ssoUrl, certificates, ...saml } = samlInput(input, now)
  if (entityId === undefined)
    throw invalid('entityId', 'expected the entity id of the provider, or metadataXml')
  if (ssoUrl === undefined) throw invalid('ssoUrl', 'expected the address of the provider, or metadataXml')
  if (certificates === undefined)
    throw invalid('certificates', 'expected the certificates of the provider, or metadataXml')
  const defaults = { nameIdFormat: null, acceptUnsolicited: false }
  return { issuer: entityId, fields: { ...defaults, ...saml, ssoUrl, certificates, ...oauth } }
}

/**
 * Returns the changed fields of a provider.
 * @param issuer of the provider, which the metadata must name
 * @throws DomainError ERR_INVALID
 */
export const changedConnection = (
  input: ConnectionInput,
  issuer: string,
  now: Date,
): Partial<OauthConnection & SamlConnection> => {
  const { entityId, ...saml } = samlInput(input, now)
  if (entityId !== undefined && entityId !== issuer)
    throw invalid('metadataXml', `is of ${entityId}; expected the metadata of ${issuer}`)
  return { ...oauthFields(input), ...saml }
}
