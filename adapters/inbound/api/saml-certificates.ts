import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { listSamlCertificates } from '../../../read-models/queries/saml-certificates.ts'
import type { Services } from '../../application/services/services.ts'
import { samlCertificateCommands } from '../../application/commands/saml-certificates.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { nullable, proven, readers, Time, writers } from '../http/schemas.ts'

const tag = 'SAML certificates'

export const SamlCertificate = Type.Object(
  {
    id: idOf('samlCertificate'),
    status: Type.Enum(['next', 'active', 'previous']),
    certificate: Type.String({ description: 'PEM' }),
    fingerprint: Type.String({ description: 'SHA-256, in hexadecimal' }),
    notBefore: Time,
    notAfter: Time,
    createdAt: Time,
    activatedAt: nullable(Time),
  },
  { title: 'SamlCertificate' },
)

export const samlCertificateRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'vault' | 'clock' | 'random' | 'newRsaKey' | 'configuration' | 'publicUrl'
  >,
): readonly Route[] => {
  const { pool } = services
  const commands = samlCertificateCommands(services)

  return [
    route({
      method: 'GET',
      path: '/saml/certificates',
      tag,
      summary: 'List the certificates in the SAML metadata, newest first',
      access: readers,
      result: Type.Array(SamlCertificate),
      status: 200,
      errors: [],
      handle: async () => ({ body: await listSamlCertificates(pool) }),
    }),
    route({
      method: 'POST',
      path: '/saml/certificate/rotate',
      tag,
      summary: 'Rotate the SAML signing certificate',
      description:
        'The next certificate, published in the metadata since the last rotation, signs from now on. First add it to applications ' +
        'that do not read the metadata automatically. The previous one stays in the metadata until it is deleted.',
      access: proven(writers('global_admin')),
      result: SamlCertificate,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['saml.certificate.rotate', 'saml.certificate.create'],
      handle: async (request) => {
        const active = await commands.rotate(actorOf(request))
        const shown = (await listSamlCertificates(pool)).find(({ id }) => id === active)
        if (shown?.status !== 'active')
          throw new DomainError(
            'ERR_UNAVAILABLE',
            'The rotation is recorded but not visible yet. Do not send it again.',
          )
        return { body: shown }
      },
    }),
    route({
      method: 'DELETE',
      path: '/saml/certificates/{id}',
      tag,
      summary: 'Delete a certificate from the SAML metadata',
      description:
        'Applications that read the metadata reject responses signed with it. The active certificate cannot be deleted. ' +
        'If you delete the next certificate, the service creates another.',
      access: proven(writers('global_admin')),
      params: fields({ id: idOf('samlCertificate') }),
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['saml.certificate.delete', 'saml.certificate.create'],
      handle: async (request) => {
        await commands.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
