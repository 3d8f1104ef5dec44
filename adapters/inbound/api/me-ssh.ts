import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { MAX_PRINCIPALS } from '../../../domain/ssh-principal-mapping/decider.ts'
import { listSshCertificates } from '../../../read-models/queries/ssh.ts'
import { sshCertificateCommands } from '../../application/sign-in/ssh-certificates.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, route, type Route } from '../http/route.ts'
import { proven } from '../http/schemas.ts'
import { newestFirst } from './session-schemas.ts'
import {
  CertificateStatus,
  IssuedSshCertificate,
  Principal,
  publicKeyInput,
  Serial,
  SshCertificate,
  SshEntitlement,
  toSshCertificate,
  ValiditySeconds,
} from './ssh-schemas.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const

/** Routes for the signed-in user's SSH certificates. */
export const meSshRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'clock' | 'random' | 'configuration'>,
): readonly Route[] => {
  const { pool, clock } = services
  const certificates = sshCertificateCommands(services)

  return [
    route({
      method: 'GET',
      path: '/me/ssh/principals',
      tag,
      summary: 'Show which SSH principals your groups map to',
      access: person,
      result: SshEntitlement,
      status: 200,
      errors: [],
      handle: async ({ caller }) => {
        const none = { principals: [], maxValiditySeconds: null, sourceAddresses: [], extensions: [] }
        const body = await certificates.entitled(caller.userId, null).catch((error: unknown) => {
          if (error instanceof DomainError && error.code === 'ERR_NO_PRINCIPALS') return none
          throw error
        })
        return { body }
      },
    }),
    route({
      method: 'GET',
      path: '/me/ssh/certificates',
      tag,
      summary: 'List your SSH certificates, newest first',
      access: person,
      query: listQuery({ status: Type.Optional(CertificateStatus) }),
      result: Type.Array(SshCertificate),
      status: 200,
      errors: [],
      handle: async ({ query, caller, http }) => {
        const { page, shown, toCursor } = newestFirst(query)
        const now = clock.now()
        const filters = { userId: caller.userId, status: query.status }
        const rows = await listSshCertificates(pool, filters, now, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
          toSshCertificate(row, now),
        )
      },
    }),
    route({
      method: 'POST',
      path: '/me/ssh/certificates',
      tag,
      summary: 'Get an SSH certificate for a public key',
      description:
        'Accepts ed25519, sk-ed25519, ecdsa, sk-ecdsa and rsa keys; rsa from 3072 bits. Access policies apply, as for an application named ssh.',
      access: { ...proven(person), terminalsExempt: true },
      body: fields({
        publicKey: publicKeyInput,
        validitySeconds: Type.Optional(ValiditySeconds),
        principals: Type.Optional(
          Type.Array(Principal, {
            minItems: 1,
            maxItems: 8 * MAX_PRINCIPALS,
            uniqueItems: true,
            description: 'Only these; default: all that your groups map to',
          }),
        ),
      }),
      result: IssuedSshCertificate,
      status: 201,
      errors: [
        'ERR_NO_PRINCIPALS',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_STRONGER_AUTH_REQUIRED',
        'ERR_REAUTH_REQUIRED',
      ],
      audit: ['ssh.certificate.issue'],
      handle: async (request) => {
        const { caller, body } = request
        const { userId: _, ...issued } = await certificates.issue(caller, body, actorOf(request))
        return created('/api/v1/me/ssh/certificates', issued)
      },
    }),
    route({
      method: 'POST',
      path: '/me/ssh/certificates/{serial}/revoke',
      tag,
      summary: 'Revoke one of your SSH certificates',
      description:
        'For a lost key. Servers reject it as soon as they have fetched the revocation list again.',
      access: person,
      params: fields({ serial: Serial }),
      status: 204,
      errors: [],
      audit: ['ssh.certificate.revoke'],
      handle: async (request) => {
        const { params, caller } = request
        await certificates.revoke(params.serial, caller.userId, null, actorOf(request))
        return done
      },
    }),
  ]
}
