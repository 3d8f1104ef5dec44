/** Issues and revokes SSH certificates of hosts, for service accounts. */
import { DomainError } from '../../../domain/errors.ts'
import { serviceAccountDecider, serviceAccountStream } from '../../../domain/service-account/decider.ts'
import {
  HOST_VALIDITY,
  sshHostCertificateDecider,
  sshHostCertificateStream,
} from '../../../domain/ssh-host-certificate/decider.ts'
import type { SshHostCertificateData } from '../../../domain/ssh-host-certificate/events.ts'
import { hostNamesOf } from '../../../domain/ssh-host-certificate/host-names.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { readPublicKey, sshSigning } from '../services/ssh-signing.ts'

export interface SshHostCertificateRequest {
  /** A line of the public key file of the host */
  readonly publicKey: string
  /** In seconds; default: 24 hours */
  readonly validitySeconds?: number | undefined
  /** Only these names; default: all of the account that are no patterns */
  readonly hostNames?: readonly string[] | undefined
}

export interface SignedSshHostCertificate extends SshHostCertificateData {
  /** A line of a certificate file */
  readonly certificate: string
}

export const sshHostCertificateCommands = (
  services: Pick<Services, 'handle' | 'clock' | 'random' | 'configuration'>,
) => {
  const { handle, clock, configuration } = services
  const signing = sshSigning(services)

  /**
   * Reads the log, because the read models may still show names that were removed a moment ago.
   * @throws DomainError ERR_NO_PRINCIPALS saying whom to ask, ERR_INVALID, ERR_CONFLICT for a disabled account
   */
  const namesFor = async (
    serviceAccountId: string,
    requested: readonly string[] | null,
    { ifVersion: _, idempotencyKey: __, ...actor }: Actor,
  ): Promise<readonly string[]> => {
    const { state } = await handle(
      serviceAccountDecider,
      serviceAccountStream(serviceAccountId),
      { type: 'certify_host', serviceAccountId, hostNames: requested },
      actor,
    ).catch((error: unknown) => {
      if (!(error instanceof DomainError) || error.code !== 'ERR_NO_PRINCIPALS') throw error
      const whom = configuration.now().settings.supportEmail ?? 'an administrator'
      throw new DomainError(error.code, `${error.message} Ask ${whom} to add it to the account.`, error.field)
    })
    const named = hostNamesOf(state.sshHostNames, requested)
    if ('refusal' in named) throw new DomainError(named.refusal.code)
    return named.hostNames
  }

  return {
    /**
     * Records and signs a certificate.
     * @throws DomainError ERR_INVALID, ERR_NO_PRINCIPALS, ERR_CONFLICT for a disabled account, ERR_UNAVAILABLE
     */
    issue: async (
      serviceAccountId: string,
      { publicKey, validitySeconds = HOST_VALIDITY.most, hostNames: requested }: SshHostCertificateRequest,
      actor: Actor,
    ): Promise<SignedSshHostCertificate> => {
      const key = readPublicKey(publicKey)
      const hostNames = await namesFor(serviceAccountId, requested ?? null, actor)
      const { draft, auditId, stream, time, idempotencyKey, sign } = await signing.begin(
        key,
        validitySeconds,
        sshHostCertificateStream,
        actor,
      )
      const [name = ''] = hostNames
      const data: SshHostCertificateData = {
        ...draft,
        serviceAccountId,
        keyId: `host:${name}|${serviceAccountId}|${auditId}`,
        hostNames,
      }
      const { state } = await handle(
        sshHostCertificateDecider,
        stream,
        { type: 'issue', data },
        { ...actor, idempotencyKey },
        { time },
      )
      // An earlier attempt of this request may have recorded it.
      const issued = state.issued ?? data
      const line = sign({
        ...issued,
        type: 'host',
        principals: issued.hostNames,
        sourceAddresses: [],
        extensions: [],
      })
      return { ...issued, certificate: `${line} ${issued.hostNames[0] ?? ''}` }
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if it has expired */
    revoke: (serial: string, reason: string | null, actor: Actor) =>
      handle(
        sshHostCertificateDecider,
        sshHostCertificateStream(serial),
        { type: 'revoke', serial, reason, now: clock.now() },
        actor,
      ),
  }
}
