import {
  apiKeyDecider,
  apiKeyStream,
  DEFAULT_DAYS,
  type ApiKeyCommand,
} from '../../../domain/api-key/decider.ts'
import type { ApiKeyScope } from '../../../domain/api-key/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { holdsAll, type Role } from '../../../domain/roles.ts'
import {
  OUTRANKED,
  serviceAccountDecider,
  serviceAccountStream,
} from '../../../domain/service-account/decider.ts'
import { rolesToManage } from '../../../domain/service-account/rights.ts'
import { findApiKey, openKeysOf, type OutdatedKey } from '../../../read-models/queries/api-keys.ts'
import { standingOf } from '../../../read-models/queries/service-accounts.ts'
import type { Actor } from '../services/handle.ts'
import { readRange, writeRange } from '../../kernel/address-ranges.ts'
import { idsFor } from '../../kernel/ids.ts'
import { SHOWN_CHARACTERS, writeApiKey } from '../../engines/vault/api-key-form.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import type { Services } from '../services/services.ts'
import { accountUse } from './references.ts'
import { secretsFor } from './secrets.ts'

const DAY = 86_400

const send = ({ handle }: Pick<Services, 'handle'>, keyId: string, command: ApiKeyCommand, actor: Actor) =>
  handle(apiKeyDecider, apiKeyStream(keyId), command, actor)

/** Follow-up changes are not subject to the request's `Idempotency-Key` and `If-Match`. */
const following = ({ ifVersion: _, idempotencyKey: __, ...actor }: Actor): Actor => actor

/** Revokes the remaining keys of a deleted account. */
export const revokeKeysOf = async (
  services: Pick<Services, 'handle' | 'pool'>,
  serviceAccountId: string,
  actor: Actor,
): Promise<void> => {
  for (const keyId of await openKeysOf(services.pool, serviceAccountId))
    await send(services, keyId, { type: 'revoke', keyId }, following(actor))
}

/** Records that the keys created before their account was given rights are revoked: they have already stopped working. */
export const revokeOutdatedKeys = async (
  services: Pick<Services, 'handle'>,
  keys: readonly OutdatedKey[],
  actor: Actor,
): Promise<void> => {
  for (const { keyId, cause } of keys)
    await send(services, keyId, { type: 'revoke', keyId, cause }, following(actor))
}

/** @throws DomainError ERR_INVALID naming the first invalid range */
const normalised = (cidrs: readonly string[]): readonly string[] => [
  ...new Set(
    cidrs.map((cidr, index) => {
      const range = readRange(cidr)
      if (range === undefined)
        throw new DomainError(
          'ERR_INVALID',
          `allowedCidrs[${String(index)}]: expected an address or a range such as 203.0.113.0/24 or 2001:db8::/32`,
          `/allowedCidrs/${String(index)}`,
        )
      return writeRange(range)
    }),
  ),
]

export interface NewKey {
  readonly serviceAccountId: string
  readonly name: string
  readonly scopes: readonly ApiKeyScope[]
  /** If omitted, the key expires after 365 days, or after the maximum of the settings if that is shorter. */
  readonly expiresAt?: string
  readonly allowedCidrs?: readonly string[]
}

export const apiKeyCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'vault' | 'clock' | 'random' | 'configuration'>,
) => {
  const { handle, locks, pool, clock, configuration } = services
  const secretOf = secretsFor(services)

  return {
    /**
     * @param by roles of the actor
     * @param missing error for an unknown account
     * @throws DomainError `missing`, ERR_FORBIDDEN for an account with more rights than `by`, ERR_CONFLICT for a
     * disabled one, ERR_INVALID for an invalid expiry or invalid networks
     */
    create: (
      { serviceAccountId, name, scopes, expiresAt, allowedCidrs = [] }: NewKey,
      by: readonly Role[],
      missing: DomainError,
      actor: Actor,
    ) =>
      locks.alone(accountUse(serviceAccountId), async () => {
        // Reads the log, because the read models may not show roles that were granted a moment ago.
        await handle(
          serviceAccountDecider,
          serviceAccountStream(serviceAccountId),
          { type: 'give_key', serviceAccountId, by },
          following(actor),
        ).catch((error: unknown) => {
          throw error instanceof DomainError && error.code === 'ERR_NOT_FOUND' ? missing : error
        })
        const { apiKeyMaxDays } = (await configuration.fresh()).settings
        const keyId: Id<'apiKey'> = idsFor(actor.idempotencyKey).newId('apiKey')
        const key = writeApiKey(Buffer.from(secretOf('', `api-key|${keyId}`, actor), 'base64url'))
        const { version } = await send(
          services,
          keyId,
          {
            type: 'create',
            key: {
              keyId,
              serviceAccountId,
              name,
              scopes,
              prefix: key.slice(0, SHOWN_CHARACTERS),
              hash: hashSecret(key),
              expiresAt: expiresAt ?? clock.in(Math.min(DEFAULT_DAYS, apiKeyMaxDays ?? DEFAULT_DAYS) * DAY),
              allowedCidrs: normalised(allowedCidrs),
            },
            now: clock.now(),
            latest: apiKeyMaxDays === undefined ? null : clock.in(apiKeyMaxDays * DAY),
          },
          actor,
        )
        return { keyId, key, version }
      }),

    /**
     * Revokes a key immediately.
     * @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN as `create` does
     */
    revoke: async (keyId: string, by: readonly Role[], actor: Actor): Promise<void> => {
      const row = await findApiKey(pool, keyId, clock.now())
      if (row === null) throw new DomainError('ERR_NOT_FOUND')
      const account = await standingOf(pool, row.serviceAccountId)
      if (account !== null && !holdsAll(by, rolesToManage(account)))
        throw new DomainError('ERR_FORBIDDEN', OUTRANKED)
      await send(services, keyId, { type: 'revoke', keyId }, actor)
    },

    /** Records that a key expired; does nothing before its expiry. */
    expire: (keyId: string, actor: Actor) =>
      send(services, keyId, { type: 'expire', keyId, now: clock.now() }, actor),
  }
}
