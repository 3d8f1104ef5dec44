/**
 * What certificates of users and of hosts have in common: one authority signs them, and their serial numbers are of one
 * space.
 */
import { createHash } from 'node:crypto'
import { auditIdOf } from '../../../domain/audit/id.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/time.ts'
import { signCertificate, type CertificateContent } from '../../engines/ssh/certificate.ts'
import { parseSshPublicKey, SshPublicKeyError, type SshPublicKey } from '../../engines/ssh/public-key.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from './handle.ts'
import type { Services } from './services.ts'

/** A certificate is valid a little earlier, for computers whose clocks are slow. */
const EARLIER_SECONDS = 60

const NONCE_BYTES = 32
const RANDOM_KEY_BYTES = 16

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const atSecond = (seconds: number): Instant => `${new Date(seconds * 1000).toISOString().slice(0, -1)}000Z`

/** A positive number below 2^63, which databases and OpenSSH can store. */
const serialFrom = (key: string): string => {
  const bits = sha256(`ssh serial|${key}`).readBigUInt64BE() >> 1n
  return (bits === 0n ? 1n : bits).toString()
}

/**
 * Reads the public key of a request.
 * @throws DomainError ERR_INVALID saying why
 */
export const readPublicKey = (publicKey: string): SshPublicKey => {
  try {
    return parseSshPublicKey(publicKey)
  } catch (error) {
    if (error instanceof SshPublicKeyError)
      throw new DomainError('ERR_INVALID', `publicKey: ${error.message}`, '/publicKey')
    throw error
  }
}

/** The parts of a new certificate that do not depend on whom it is for. */
export interface CertificateDraft {
  readonly serial: string
  readonly keyType: string
  readonly keyFingerprint: string
  readonly authorityFingerprint: string
  readonly validAfter: Instant
  readonly validBefore: Instant
}

/** What was recorded about a certificate, and what only its kind knows. */
type Recorded = CertificateDraft &
  Pick<CertificateContent, 'type' | 'keyId' | 'principals' | 'sourceAddresses' | 'extensions'>

export const sshSigning = ({
  clock,
  random,
  configuration,
}: Pick<Services, 'clock' | 'random' | 'configuration'>) => ({
  /**
   * Begins a certificate. A request that is sent again gets the same serial number.
   * @param validity in seconds from now
   * @param streamOf the stream in which the certificate is recorded, with the returned time and key
   * @throws DomainError ERR_UNAVAILABLE before the authority has a key
   */
  begin: async (key: SshPublicKey, validity: number, streamOf: (serial: string) => string, actor: Actor) => {
    const { sshAuthority } = await configuration.fresh()
    if (sshAuthority === null)
      throw new DomainError('ERR_UNAVAILABLE', 'The SSH authority has no key yet. Try again in a minute.')
    const idempotencyKey = actor.idempotencyKey ?? random(RANDOM_KEY_BYTES).toString('hex')
    const serial = serialFrom(idempotencyKey)
    const stream = streamOf(serial)
    const time = clock.now()
    const now = epochSeconds(time)
    // The event is recorded with this id and at this time, which determine the id of its audit entry.
    const eventId = idsFor(`${idempotencyKey}|${stream}`).eventId('0')
    const draft: CertificateDraft = {
      serial,
      keyType: key.type,
      keyFingerprint: key.fingerprint,
      authorityFingerprint: sshAuthority.id,
      validAfter: atSecond(now - EARLIER_SECONDS),
      validBefore: atSecond(now + validity),
    }
    return {
      draft,
      auditId: auditIdOf(time, sha256(eventId).toString('hex')),
      stream,
      time,
      idempotencyKey,
      /**
       * Signs what was recorded.
       * @returns a line of a certificate file, without a comment
       * @throws DomainError ERR_CONFLICT if an earlier attempt of this request recorded it, and a rotation followed
       */
      sign: (issued: Recorded): string => {
        if (issued.authorityFingerprint !== sshAuthority.id)
          throw new DomainError(
            'ERR_CONFLICT',
            'The key of the SSH authority has changed. Send a new request.',
          )
        return signCertificate(
          sshAuthority.privateKey,
          key,
          {
            type: issued.type,
            serial: BigInt(issued.serial),
            keyId: issued.keyId,
            principals: issued.principals,
            validAfter: epochSeconds(issued.validAfter),
            validBefore: epochSeconds(issued.validBefore),
            sourceAddresses: issued.sourceAddresses,
            extensions: issued.extensions,
          },
          random(NONCE_BYTES),
        )
      },
    }
  },
})
