/**
 * SAML 2.0 Metadata §2.4.1.1: the certificates that sign responses. A certificate is published in the metadata before
 * it is used.
 */
import { samlCertificateDecider, samlCertificatesStream } from '../../../domain/saml-certificate/decider.ts'
import type { SamlCertificateData } from '../../../domain/saml-certificate/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import { defaultSettings } from '../../../domain/organization/decider.ts'
import { SAML_KEY_PURPOSE } from '../services/configuration.ts'
import type { Actor } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import { newCertificate } from '../../engines/vault/certificate.ts'
import type { Services } from '../services/services.ts'

export const samlCertificateCommands = (
  services: Pick<
    Services,
    'configuration' | 'vault' | 'handle' | 'clock' | 'random' | 'newRsaKey' | 'publicUrl'
  >,
) => {
  const { configuration, vault, handle, clock, random, newRsaKey, publicUrl } = services

  const commonName = (): string => {
    const { organizationName } = configuration.now().settings
    return organizationName === defaultSettings.organizationName
      ? new URL(publicUrl).hostname
      : organizationName
  }

  const newData = async (certificateId: string): Promise<SamlCertificateData> => {
    const { privateKeyPem, ...certificate } = await newCertificate(commonName(), await newRsaKey(), {
      now: clock.now(),
      random,
    })
    return {
      certificateId,
      ...certificate,
      sealedPrivateKey: vault.seal(SAML_KEY_PURPOSE, privateKeyPem, certificateId),
    }
  }

  /** @returns the id of the active certificate */
  const rotateFrom = async (activeId: string, actor: Actor): Promise<string> => {
    const { state } = await handle(
      samlCertificateDecider,
      samlCertificatesStream,
      {
        type: 'rotate',
        activeId,
        next: await newData(idsFor(actor.idempotencyKey).newId('samlCertificate')),
      },
      actor,
    )
    await configuration.fresh()
    return state.activeId ?? activeId
  }

  return {
    /** Creates a missing active or next certificate. If several instances start at once, one creates them. */
    ensure: async (actor: Actor): Promise<void> => {
      const { samlCertificate, samlCertificates } = await configuration.fresh()
      if (samlCertificate !== null && samlCertificates.some(({ status }) => status === 'next')) return
      const { newId } = idsFor(actor.idempotencyKey)
      // Sequential: key generation is slow and uses the same threads as DNS lookups.
      const active = await newData(newId('samlCertificate'))
      const next = await newData(newId('samlCertificate'))
      await handle(samlCertificateDecider, samlCertificatesStream, { type: 'ensure', active, next }, actor)
      await configuration.fresh()
    },

    /**
     * Activates the next certificate and creates a new next one. The previous one stays in the metadata. Concurrent
     * requests rotate only once.
     * @returns the id of the active certificate
     */
    rotate: async (actor: Actor): Promise<string> => {
      const { samlCertificate } = await configuration.fresh()
      if (samlCertificate === null) throw new DomainError('ERR_CONFLICT', 'No certificate is available yet.')
      return rotateFrom(samlCertificate.id, actor)
    },

    /**
     * Replaces an active and a next certificate whose private keys were lost with the secret key. Both stay
     * in the metadata as previous ones. Changes nothing otherwise.
     */
    replaceLost: async (actor: Actor): Promise<void> => {
      for (;;) {
        const { samlCertificate, samlCertificates } = await configuration.fresh()
        const active = samlCertificates.find(({ status }) => status === 'active')
        if (active === undefined || samlCertificate !== null) return
        await rotateFrom(active.id, actor)
      }
    },

    /**
     * Deletes a certificate from the metadata. Deleting the next certificate, which may be compromised, creates a new
     * one.
     * @throws DomainError ERR_CONFLICT for the active certificate, ERR_NOT_FOUND
     */
    delete: async (certificateId: string, actor: Actor): Promise<void> => {
      const next = await newData(idsFor(actor.idempotencyKey).newId('samlCertificate'))
      await handle(
        samlCertificateDecider,
        samlCertificatesStream,
        { type: 'delete', certificateId, next },
        actor,
      )
      await configuration.fresh()
    },
  }
}
