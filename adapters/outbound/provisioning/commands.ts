import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  provisioningDecider,
  provisioningStream,
  type ProvisioningCommand,
} from '../../../domain/provisioning/decider.ts'
import type { ProvisioningFailure, PushedAttributes } from '../../../domain/provisioning/events.ts'
import { findApplication } from '../../../read-models/queries/applications.ts'
import { findProvisioning, type ProvisioningRow } from '../../../read-models/queries/provisioning.ts'
import type { Actor } from '../../application/services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import { byItself } from './actor.ts'
import { probe, scimClient, ScimFailure } from './client.ts'
import { forgetAccounts } from './store.ts'
import { openToken, PROVISIONING_TOKEN } from './token.ts'
import type { Services } from '../../application/services/services.ts'

export interface ProvisioningInput {
  readonly baseUrl: string
  readonly token?: string
  readonly authScheme: 'bearer'
  readonly userNameAttribute: 'email' | 'externalId'
  readonly attributes: PushedAttributes
  readonly enabled: boolean
}

export const provisioningCommands = (services: Pick<Services, 'handle' | 'pool' | 'vault' | 'egress'>) => {
  const { handle, pool, vault, egress } = services

  const send = (command: ProvisioningCommand, actor: Actor) =>
    handle(provisioningDecider, provisioningStream(command.applicationId), command, actor)

  const application = async (applicationId: string) => {
    const row = await findApplication(pool, applicationId)
    if (row === null) throw new DomainError('ERR_NOT_FOUND')
    return row
  }

  const provisionable = async (applicationId: string): Promise<void> => {
    const { builtIn } = await application(applicationId)
    if (builtIn)
      throw new DomainError('ERR_BUILT_IN', 'Provisioning is not available for the built-in CLI application.')
  }

  /**
   * Returns the configured provisioning.
   * @throws DomainError ERR_NOT_FOUND for an unknown application, ERR_NOT_CONFIGURED if provisioning is not set up
   */
  const configured = async (applicationId: string): Promise<ProvisioningRow> => {
    const row = await findProvisioning(pool, applicationId)
    if (row !== null) return row
    await application(applicationId)
    throw new DomainError('ERR_NOT_CONFIGURED')
  }

  const tokenOf = (row: ProvisioningRow): string => {
    const token = openToken(vault, row)
    if (token === null) throw new DomainError('ERR_TOKEN_UNREADABLE')
    return token
  }

  return {
    configured,

    /** Sets up provisioning or replaces its settings; an omitted token is kept. */
    configure: async (applicationId: string, { token, ...settings }: ProvisioningInput, actor: Actor) => {
      await provisionable(applicationId)
      const sealed =
        token === undefined ? {} : { sealedToken: vault.seal(PROVISIONING_TOKEN, token, applicationId) }
      return send({ type: 'configure', applicationId, ...settings, ...sealed }, actor)
    },

    /** Stops provisioning; accounts in the application are not changed. */
    remove: async (applicationId: string, actor: Actor): Promise<void> => {
      await configured(applicationId)
      await send({ type: 'remove', applicationId }, actor)
      await forgetAccounts(pool, applicationId)
    },

    /** @throws DomainError ERR_SCIM_CONNECTION, ERR_TOKEN_UNREADABLE */
    test: async (applicationId: string): Promise<void> => {
      const row = await configured(applicationId)
      const token = tokenOf(row)
      try {
        await probe(scimClient({ egress, baseUrl: row.baseUrl, token, now: () => Date.now() }))
      } catch (error) {
        if (!(error instanceof ScimFailure)) throw error
        throw new DomainError(
          'ERR_SCIM_CONNECTION',
          `The application's SCIM endpoint failed: ${error.message}.`,
        )
      }
    },

    sync: async (applicationId: string, actor: Actor): Promise<Id<'run'>> => {
      tokenOf(await configured(applicationId))
      const runId = idsFor(actor.idempotencyKey).newId('run')
      await send({ type: 'request_sync', applicationId, runId }, actor)
      return runId
    },

    resume: async (applicationId: string, actor: Actor) => {
      await configured(applicationId)
      return send({ type: 'resume', applicationId }, actor)
    },

    fail: async (
      applicationId: string,
      generation: number,
      error: ProvisioningFailure,
      httpStatus: number | null,
    ): Promise<void> => {
      await unlessGone(send({ type: 'fail', applicationId, generation, error, httpStatus }, byItself()))
    },
    recover: async (applicationId: string): Promise<void> => {
      await unlessGone(send({ type: 'recover', applicationId }, byItself()))
    },
    pause: async (
      applicationId: string,
      generation: number,
      deactivations: number,
      linked: number,
    ): Promise<void> => {
      await unlessGone(send({ type: 'pause', applicationId, generation, deactivations, linked }, byItself()))
    },
  }
}

/** The resource may have been removed meanwhile. */
const unlessGone = async (sent: Promise<unknown>): Promise<void> => {
  await sent.catch((refused: unknown) => {
    if (!(refused instanceof DomainError) || refused.code !== 'ERR_NOT_CONFIGURED') throw refused
  })
}
