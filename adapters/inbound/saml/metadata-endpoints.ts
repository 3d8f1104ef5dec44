/** SAML 2.0 Metadata §4.1: serves the metadata at the address that is the entity id, and the certificate separately. */
import type { ServerResponse } from 'node:http'
import type { Services } from '../../application/services/services.ts'
import { sendDocument, sendText } from '../http/respond.ts'
import type { Endpoint, Handler } from '../http/table.ts'
import { samlNamesAt, samlProviderPaths } from '../sign-in/callback-url.ts'
import { idpMetadata, METADATA_TYPE, spMetadata } from './metadata.ts'

const DOCUMENT_SECONDS = 300

const send = (response: ServerResponse, type: string, text: string, file: string): void => {
  sendDocument(response, text, {
    type,
    cache: `public, max-age=${String(DOCUMENT_SECONDS)}`,
    headers: { 'Content-Disposition': `inline; filename="${file}"` },
  })
}

const notFound = (response: ServerResponse, what: string): void => {
  sendText(response, 404, `${what} not found.\n`, { 'Cache-Control': 'no-store' })
}

export const samlMetadataEndpoints = ({
  configuration: cache,
  clock,
  publicUrl,
}: Pick<Services, 'configuration' | 'clock' | 'publicUrl'>): readonly Endpoint[] => {
  // Even older certificates verify signatures, so those in memory are used while the database is unavailable.
  const current = () => cache.fresh().catch(() => cache.now())

  const now = (): Date => new Date(Date.parse(clock.now()))

  // Some programs use only the first certificate.
  const pemsIn = ({ samlCertificates }: Awaited<ReturnType<typeof current>>): readonly string[] =>
    (['active', 'next', 'previous'] as const).flatMap((wanted) =>
      samlCertificates.filter(({ status }) => status === wanted).map(({ certificatePem }) => certificatePem),
    )

  const metadata: Handler = async (_, response) => {
    const pems = pemsIn(await current())
    send(response, METADATA_TYPE, idpMetadata(publicUrl, pems, now()), 'saml-metadata.xml')
  }

  const providerMetadata: Handler = async (_, response, { id = '' }) => {
    const configuration = await current()
    const provider = configuration.identityProviders.find((each) => each.id === id && each.type === 'saml')
    if (provider === undefined) {
      notFound(response, 'Identity provider')
      return
    }
    // Keycloak uses only the last certificate.
    const [active, ...others] = pemsIn(configuration)
    const pems = active === undefined ? [] : [active, ...others, ...(others.length === 0 ? [] : [active])]
    const document = spMetadata(samlNamesAt(publicUrl, id), pems, now())
    send(response, METADATA_TYPE, document, `${id}-metadata.xml`)
  }

  const certificate: Handler = async (request, response) => {
    const { samlCertificate, samlCertificates } = await current()
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const id = searchParams.get('id') ?? samlCertificate?.id
    const requestedCertificate = samlCertificates.find((each) => each.id === id)
    if (requestedCertificate === undefined) notFound(response, 'Certificate')
    else
      send(
        response,
        'application/x-pem-file',
        requestedCertificate.certificatePem,
        `${requestedCertificate.id}.pem`,
      )
  }

  return [
    { path: '/saml/metadata', handlers: { GET: metadata } },
    { path: '/saml/certificate', handlers: { GET: certificate } },
    { path: samlProviderPaths.metadata, handlers: { GET: providerMetadata } },
  ]
}
