/** The SSH certificate authority: what servers fetch, and what administrators see and change. */
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { emptyMapping } from '../../../domain/ssh-principal-mapping/decider.ts'
import {
  findSshCertificate,
  findSshPrincipalMapping,
  listSshAuthorityKeys,
  listSshCertificates,
  listSshPrincipalMappings,
  revokedSshCertificates,
} from '../../../read-models/queries/ssh.ts'
import { sshAuthorityCommands } from '../../application/commands/ssh-authority.ts'
import { sshCertificateCommands } from '../../application/sign-in/ssh-certificates.ts'
import { sshPrincipalMappingCommands } from '../../application/commands/ssh-principal-mappings.ts'
import type { Services } from '../../application/services/services.ts'
import { writeKrl } from '../../engines/ssh/krl.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import { reused } from '../../kernel/reuse.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, proven, readBack, readers, sent, writers } from '../http/schemas.ts'
import { newestFirst } from './session-schemas.ts'
import {
  CertificateStatus,
  mappingInput,
  Principal,
  revocationInput,
  Serial,
  SshAuthorityKey,
  SshCertificate,
  SshPrincipalMapping,
  toSshCertificate,
} from './ssh-schemas.ts'

const tag = 'SSH'
const params = fields({ id: idOf('sshPrincipalMapping') })
const bySerial = fields({ serial: Serial })
const { groupId, principals, ...limits } = mappingInput

/** The list is public, so any number of requests costs one query in this time. */
const KRL_REUSE_MS = 1000

/** The order in which servers and people want to see the keys. */
const order = ['active', 'next', 'previous'] as const

/** The key of a line for `TrustedUserCAKeys`, in wire format. */
const blobOf = (line: string): Buffer => Buffer.from(line.split(' ')[1] ?? '', 'base64')

export const sshRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'locks' | 'configuration' | 'vault' | 'clock' | 'random' | 'publicUrl'
  >,
): readonly Route[] => {
  const { pool, configuration, clock, publicUrl } = services
  const mappings = sshPrincipalMappingCommands(services)
  const certificates = sshCertificateCommands(services)
  const authority = sshAuthorityCommands(services)
  const { hostname } = new URL(publicUrl)
  const readMapping = (id: string) => findSshPrincipalMapping(pool, id)

  /** Returns a line for each published key, in order. @param mark what the lines begin with */
  const published = async (mark: string): Promise<string> => {
    const { sshAuthorityKeys: keys } = await configuration.fresh()
    const lines = order.flatMap((status) =>
      keys
        .filter((key) => key.status === status)
        .map(({ publicKey }) => `${mark}${publicKey} ${hostname} SSH authority (${status})\n`),
    )
    return lines.join('')
  }

  const revocationList = reused(
    async () => {
      const now = clock.now()
      const [certificates, keys] = await Promise.all([
        revokedSshCertificates(pool, now),
        listSshAuthorityKeys(pool),
      ])
      const generatedAt = epochSeconds(now)
      return writeKrl(
        BigInt(generatedAt),
        generatedAt,
        {
          authorities: keys
            .filter(({ status }) => status === 'revoked')
            .map(({ publicKey }) => blobOf(publicKey)),
          certificates: certificates.map(({ publicKey, serials }) => ({
            authority: blobOf(publicKey),
            serials: serials.map(BigInt),
          })),
        },
        hostname,
      )
    },
    KRL_REUSE_MS,
    () => performance.now(),
  )

  return [
    route({
      method: 'GET',
      path: '/ssh/ca.pub',
      tag: 'Public information',
      summary: 'Get the public keys of the SSH certificate authority',
      description:
        'A file for TrustedUserCAKeys of sshd: one line for the active key, for the next one, and for each previous one whose certificates may still be valid.',
      access: { credentials: ['none'] },
      produces: ['text/plain'],
      status: 200,
      errors: [],
      handle: async () => ({
        content: { type: 'text/plain; charset=utf-8', data: await published('') },
      }),
    }),
    route({
      method: 'GET',
      path: '/ssh/revoked-keys',
      tag: 'Public information',
      summary: 'Get the revocation list of SSH certificates',
      description:
        'A file for RevokedKeys of sshd (a binary key revocation list). It has the revoked keys of the authority, the certificates that were revoked, those of users who are not active or whose account is compromised, and those of hosts that their service account may not certify any more, until a day after they expire. Also for RevokedHostKeys of ssh. Up to one second old.',
      access: { credentials: ['none'] },
      produces: ['application/octet-stream'],
      status: 200,
      errors: [],
      handle: async () => ({
        content: { type: 'application/octet-stream', data: await revocationList() },
      }),
    }),
    route({
      method: 'GET',
      path: '/ssh/known-hosts',
      tag: 'Public information',
      summary: 'Get the public keys of the SSH certificate authority for clients',
      description:
        'Lines for known_hosts: ssh accepts the hosts that these keys have certified. Replace * with a pattern of your hosts to limit that.',
      access: { credentials: ['none'] },
      produces: ['text/plain'],
      status: 200,
      errors: [],
      handle: async () => ({
        content: { type: 'text/plain; charset=utf-8', data: await published('@cert-authority * ') },
      }),
    }),
    route({
      method: 'GET',
      path: '/ssh/ca/keys',
      tag,
      summary: 'List the keys of the SSH certificate authority, newest first',
      access: readers,
      result: Type.Array(SshAuthorityKey),
      status: 200,
      errors: [],
      handle: async () => ({ body: await listSshAuthorityKeys(pool) }),
    }),
    route({
      method: 'POST',
      path: '/ssh/ca/rotate',
      tag,
      summary: 'Rotate the key of the SSH certificate authority',
      description:
        'The next key, which servers have fetched since the last rotation, signs from now on. The previous key stays published for two days, longer than any of its certificates is valid.',
      access: proven(writers('global_admin')),
      result: SshAuthorityKey,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['ssh.ca.rotate'],
      handle: async (request) => {
        const active = await authority.rotate(actorOf(request))
        const shown = (await listSshAuthorityKeys(pool)).find(({ fingerprint }) => fingerprint === active)
        if (shown?.status !== 'active')
          throw new DomainError(
            'ERR_UNAVAILABLE',
            'The rotation is recorded but not visible yet. Do not send it again.',
          )
        return { body: shown }
      },
    }),
    route({
      method: 'POST',
      path: '/ssh/ca/revoke',
      tag,
      summary: 'Revoke a former key of the SSH certificate authority',
      description:
        'For a key that others may know. It is published no more, and servers reject every certificate that it has signed as soon as they have fetched the revocation list again. Rotate first if it is the active key.',
      access: proven(writers('global_admin')),
      body: fields({
        fingerprint: Type.String({
          pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
          title: 'the fingerprint of a key of the authority',
        }),
        ...revocationInput,
      }),
      status: 204,
      errors: ['ERR_NOT_FOUND', 'ERR_CONFLICT'],
      audit: ['ssh.ca.revoke'],
      handle: async (request) => {
        const { fingerprint, reason = null } = request.body
        await authority.revoke(fingerprint, reason, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/ssh/principal-mappings',
      tag,
      summary: 'List SSH principal mappings, newest first',
      access: readers,
      query: listQuery({ groupId: Type.Optional(idOf('group')), principal: Type.Optional(Principal) }),
      result: Type.Array(SshPrincipalMapping),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = newestFirst(query)
        const rows = await listSshPrincipalMappings(pool, query, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/ssh/principal-mappings',
      tag,
      summary: 'Map a group to SSH principals',
      description:
        'Members of several mapped groups get the principals of all, with the shortest validity, only the extensions that all permit, and only the addresses that all allow.',
      access: proven(writers('security_admin')),
      body: fields({ groupId, principals, ...limits }),
      result: SshPrincipalMapping,
      status: 201,
      errors: [],
      audit: ['ssh.mapping.create'],
      handle: async (request) => {
        const { mappingId, version } = await mappings.create(
          { ...emptyMapping, ...sent(request.body) },
          actorOf(request),
        )
        return created(
          `/api/v1/ssh/principal-mappings/${mappingId}`,
          await readBack(readMapping(mappingId), version),
        )
      },
    }),
    route({
      method: 'GET',
      path: '/ssh/principal-mappings/{id}',
      tag,
      summary: 'Read an SSH principal mapping',
      access: readers,
      params,
      result: SshPrincipalMapping,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(readMapping(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/ssh/principal-mappings/{id}',
      tag,
      summary: 'Update an SSH principal mapping',
      description: 'Certificates that were issued before stay as they are.',
      access: proven(writers('security_admin')),
      params,
      body: fields({
        groupId: Type.Optional(groupId),
        principals: Type.Optional(principals),
        ...limits,
      }),
      result: SshPrincipalMapping,
      status: 200,
      errors: ['ERR_STALE'],
      audit: ['ssh.mapping.update'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await mappings.update(id, sent(request.body), actorOf(request))
        return { body: await readBack(readMapping(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/ssh/principal-mappings/{id}',
      tag,
      summary: 'Delete an SSH principal mapping',
      description: 'Certificates that were issued before stay as they are.',
      access: writers('security_admin'),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['ssh.mapping.delete'],
      handle: async (request) => {
        await mappings.delete(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/ssh/certificates',
      tag,
      summary: 'List SSH certificates, newest first',
      access: readers,
      query: listQuery({
        userId: Type.Optional(idOf('user')),
        principal: Type.Optional(Principal),
        status: Type.Optional(CertificateStatus),
      }),
      result: Type.Array(SshCertificate),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = newestFirst(query)
        const now = clock.now()
        const rows = await listSshCertificates(pool, query, now, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
          toSshCertificate(row, now),
        )
      },
    }),
    route({
      method: 'GET',
      path: '/ssh/certificates/{serial}',
      tag,
      summary: 'Read an SSH certificate',
      description: 'What it says; the certificate itself is not stored.',
      access: readers,
      params: bySerial,
      result: SshCertificate,
      status: 200,
      errors: [],
      handle: async ({ params: { serial } }) => ({
        body: toSshCertificate(await existing(findSshCertificate(pool, serial)), clock.now()),
      }),
    }),
    route({
      method: 'POST',
      path: '/ssh/certificates/{serial}/revoke',
      tag,
      summary: 'Revoke an SSH certificate',
      description: 'Servers reject it as soon as they have fetched the revocation list again.',
      access: writers('security_admin'),
      params: bySerial,
      body: fields(revocationInput),
      status: 204,
      errors: [],
      audit: ['ssh.certificate.revoke'],
      handle: async (request) => {
        const { params: path, body } = request
        await certificates.revoke(path.serial, null, body.reason ?? null, actorOf(request))
        return done
      },
    }),
  ]
}
