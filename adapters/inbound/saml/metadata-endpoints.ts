/** SAML 2.0 Metadata §4.1: serves the metadata at the address that is the entity id, and the certificate separately. */
import type { ServerResponse } from 'node:http'
import type { Services } from '../../application/services/services.ts'
import { sendDocument, sendText } from '../http/respond.ts'
import type { Endpoint, Handler } from '../http/table.ts'
import { idpMetadata, METADATA_TYPE } from './metadata.ts'

const DOCUMENT_SECONDS = 300

const send = (response: ServerResponse, type: string, text: string, file: string): void => {
  sendDocument(response, text, {
    type,
    cache: `public, max-age=${String(DOCUMENT_SECONDS)}`,
    headers: { 'Content-Disposition': `inline; filename="${file}"` },
  })
}

const notFound = (response: ServerResponse): void => {
  sendText(response, 404, 'Certificate not found.\n', { 'Cache-Control': 'no-store' })
}

export const samlMetadataEndpoints = ({
  configuration: cache,
  clock,
  publicUrl,
}: Pick<Services, 'configuration' | 'clock' | 'publicUrl'>): readonly Endpoint[] => {
  // Even older certificates verify signatures, so those in memory are used while the database is unavailable.
  const current = () => cache.fresh().catch(() => cache.now())

  const metadata: Handler = async (_, response) => {
    const { samlCertificates } = await current()
    // Some applications use only the first certificate.
    const pems = (['active', 'next', 'previous'] as const).flatMap((wanted) =>
      samlCertificates.filter(({ status }) => status === wanted).map(({ certificatePem }) => certificatePem),
    )
    send(
      response,
      METADATA_TYPE,
      idpMetadata(publicUrl, pems, new Date(Date.parse(clock.now()))),
      'saml-metadata.xml',
    )
  }

  const certificate: Handler = async (request, response) => {
    const { samlCertificate, samlCertificates } = await current()
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const id = searchParams.get('id') ?? samlCertificate?.id
    const requestedCertificate = samlCertificates.find((each) => each.id === id)
    if (requestedCertificate === undefined) notFound(response)
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
  ]
}
