/** SSH certificates of hosts: what servers get with their API key, and what administrators see and revoke. */
import { Type } from 'typebox'
import {
  findSshHostCertificate,
  listSshHostCertificates,
} from '../../../read-models/queries/ssh-host-certificates.ts'
import { sshHostCertificateCommands } from '../../application/commands/ssh-host-certificates.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, readers, writers } from '../http/schemas.ts'
import { newestFirst } from './session-schemas.ts'
import {
  hostCertificateInput,
  HostName,
  IssuedSshHostCertificate,
  SshHostCertificate,
  toSshHostCertificate,
} from './ssh-host-schemas.ts'
import { CertificateStatus, publicKeyInput, revocationInput, Serial } from './ssh-schemas.ts'

const tag = 'SSH'
const bySerial = fields({ serial: Serial })

export const sshHostCertificateRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'configuration' | 'clock' | 'random'>,
): readonly Route[] => {
  const { pool, clock } = services
  const certificates = sshHostCertificateCommands(services)

  return [
    route({
      method: 'GET',
      path: '/ssh/host-certificates',
      tag,
      summary: 'List SSH host certificates, newest first',
      access: readers,
      query: listQuery({
        serviceAccountId: Type.Optional(idOf('user')),
        hostName: Type.Optional(HostName),
        status: Type.Optional(CertificateStatus),
      }),
      result: Type.Array(SshHostCertificate),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = newestFirst(query)
        const now = clock.now()
        const rows = await listSshHostCertificates(pool, query, now, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
          toSshHostCertificate(row, now),
        )
      },
    }),
    route({
      method: 'POST',
      path: '/ssh/host-certificates',
      tag,
      summary: 'Get an SSH host certificate for the public key of a server',
      description:
        'The service account of the API key needs no role: its SSH host names decide for which names it gets certificates. Accepts ed25519, sk-ed25519, ecdsa, sk-ecdsa and rsa keys; rsa from 3072 bits.',
      access: { credentials: ['api_key'] },
      body: fields({ publicKey: publicKeyInput, ...hostCertificateInput }),
      result: IssuedSshHostCertificate,
      status: 201,
      errors: ['ERR_NO_PRINCIPALS'],
      audit: ['ssh.host_certificate.issue'],
      handle: async (request) => {
        const { serviceAccountId: _, ...issued } = await certificates.issue(
          request.caller.userId,
          request.body,
          actorOf(request),
        )
        return created(`/api/v1/ssh/host-certificates/${issued.serial}`, issued)
      },
    }),
    route({
      method: 'GET',
      path: '/ssh/host-certificates/{serial}',
      tag,
      summary: 'Read an SSH host certificate',
      description: 'What it says; the certificate itself is not stored.',
      access: readers,
      params: bySerial,
      result: SshHostCertificate,
      status: 200,
      errors: [],
      handle: async ({ params: { serial } }) => ({
        body: toSshHostCertificate(await existing(findSshHostCertificate(pool, serial)), clock.now()),
      }),
    }),
    route({
      method: 'POST',
      path: '/ssh/host-certificates/{serial}/revoke',
      tag,
      summary: 'Revoke an SSH host certificate',
      description:
        'Clients that use the revocation list as RevokedHostKeys reject it once they have fetched it again.',
      access: writers('security_admin'),
      params: bySerial,
      body: fields(revocationInput),
      status: 204,
      errors: [],
      audit: ['ssh.host_certificate.revoke'],
      handle: async (request) => {
        const { params, body } = request
        await certificates.revoke(params.serial, body.reason ?? null, actorOf(request))
        return done
      },
    }),
  ]
}
