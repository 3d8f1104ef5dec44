/**
 * The keys that sign SSH certificates. A key is published before it signs, so that servers that fetch the published
 * keys already trust it, and for some time after it was replaced.
 */
import {
  PREVIOUS_AUTHORITY_SECONDS,
  sshAuthorityDecider,
  sshAuthorityStream,
} from '../../../domain/ssh-authority/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { SshAuthorityKeyData } from '../../../domain/ssh-authority/events.ts'
import { newAuthorityKey } from '../../engines/ssh/authority-key.ts'
import { authorityPublicKey } from '../../engines/ssh/certificate.ts'
import { SSH_AUTHORITY_PURPOSE } from '../services/configuration.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

export const sshAuthorityCommands = ({
  configuration,
  vault,
  handle,
  clock,
  random,
}: Pick<Services, 'configuration' | 'vault' | 'handle' | 'clock' | 'random'>) => {
  const newKey = (): SshAuthorityKeyData => {
    const privateKey = newAuthorityKey(random)
    const { line, fingerprint } = authorityPublicKey(privateKey)
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return {
      fingerprint,
      publicKey: line,
      sealedPrivateKey: vault.seal(SSH_AUTHORITY_PURPOSE, pem, fingerprint),
    }
  }

  /** @returns the fingerprint of the active key */
  const rotateFrom = async (active: string, actor: Actor): Promise<string> => {
    const retiresAt = clock.in(PREVIOUS_AUTHORITY_SECONDS)
    const { state } = await handle(
      sshAuthorityDecider,
      sshAuthorityStream,
      { type: 'rotate', active, next: newKey(), retiresAt },
      actor,
    )
    await configuration.fresh()
    return state.active ?? active
  }

  return {
    /** Creates a missing active or next key. If several instances start at once, one creates them. */
    ensure: async (actor: Actor): Promise<void> => {
      const { sshAuthority, sshAuthorityKeys } = await configuration.fresh()
      if (sshAuthority !== null && sshAuthorityKeys.some(({ status }) => status === 'next')) return
      await handle(
        sshAuthorityDecider,
        sshAuthorityStream,
        { type: 'ensure', active: newKey(), next: newKey() },
        actor,
      )
      await configuration.fresh()
    },

    /**
     * Activates the next key and creates a new next one. Concurrent requests rotate only once.
     * @returns the fingerprint of the active key
     */
    rotate: async (actor: Actor): Promise<string> => {
      const { sshAuthority } = await configuration.fresh()
      if (sshAuthority === null)
        throw new DomainError('ERR_CONFLICT', 'No SSH authority key is available yet.')
      return rotateFrom(sshAuthority.id, actor)
    },

    /**
     * Replaces an active and a next key whose private halves were lost with the secret key. Servers must fetch the
     * published keys before they accept new certificates. Changes nothing otherwise.
     */
    replaceLost: async (actor: Actor): Promise<void> => {
      for (;;) {
        const { sshAuthority, sshAuthorityKeys } = await configuration.fresh()
        const active = sshAuthorityKeys.find(({ status }) => status === 'active')
        if (active === undefined || sshAuthority !== null) return
        await rotateFrom(active.id, actor)
      }
    },

    /** Stops publishing an expired previous key; does nothing before its expiry. */
    retire: (fingerprint: string, actor: Actor) =>
      handle(
        sshAuthorityDecider,
        sshAuthorityStream,
        { type: 'retire', fingerprint, now: clock.now() },
        actor,
      ),

    /**
     * Revokes a previous or retired key: servers reject everything that it has signed.
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT for the active and the next key
     */
    revoke: async (fingerprint: string, reason: string | null, actor: Actor): Promise<void> => {
      await handle(sshAuthorityDecider, sshAuthorityStream, { type: 'revoke', fingerprint, reason }, actor)
      await configuration.fresh()
    },
  }
}
