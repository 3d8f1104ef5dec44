/** SAML 2.0 Metadata §4.1: the metadata is at the address that is the entity id; the certificate by itself besides. */
import type { ServerResponse } from 'node:http'
import type { Services } from '../../application/services/services.ts'
import type { Endpoint, Handler } from '../http/dispatch.ts'
import { idpMetadata, METADATA_TYPE } from './metadata.ts'

const DOCUMENT_SECONDS = 300

const send = (response: ServerResponse, type: string, text: string, file: string): void => {
  response
    .writeHead(200, {
      'Cache-Control': `public, max-age=${String(DOCUMENT_SECONDS)}`,
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(text),
      'Content-Disposition': `inline; filename="${file}"`,
      'X-Content-Type-Options': 'nosniff',
    })
    .end(text)
}

const notFound = (response: ServerResponse): void => {
  response
    .writeHead(404, { 'Cache-Control': 'no-store', 'Content-Type': 'text/plain; charset=utf-8' })
    .end('Certificate not found.\n')
}

export const samlMetadataEndpoints = ({
  configuration: cache,
  clock,
  publicUrl,
}: Pick<Services, 'configuration' | 'clock' | 'publicUrl'>): readonly Endpoint[] => {
  // Certificates verify what was signed long ago: while the database is away, those in memory serve.
  const current = () => cache.fresh().catch(() => cache.now())

  const metadata: Handler = async (_, response) => {
    const { samlCertificates } = await current()
    // Some applications take the first certificate and no other.
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
    const asked = samlCertificates.find((each) => each.id === id)
    if (asked === undefined) notFound(response)
    else send(response, 'application/x-pem-file', asked.certificatePem, `${asked.id}.pem`)
  }

  return [
    { path: '/saml/metadata', handlers: { GET: metadata } },
    { path: '/saml/certificate', handlers: { GET: certificate } },
  ]
}
