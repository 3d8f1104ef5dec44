/**
 * RFC 8935: pushes security events to their receivers, at least once each. Several instances may work at the same time;
 * each claims an event until the lease expires.
 */
import { oidcOnly } from '../../../read-models/queries/configuration.ts'
import { findSharedSignalsStream } from '../../../read-models/queries/shared-signals.ts'
import { AUTHORIZATION_PURPOSE } from '../../application/commands/shared-signals-streams.ts'
import type { Services } from '../../application/services/services.ts'
import { sharedSignalQueue, type QueuedSignal } from '../../application/services/shared-signal-queue.ts'
import { EgressError } from '../../engines/egress/client.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import { ssfScopesOf } from './receiver.ts'
import { securityEventToken } from './security-event-token.ts'

const AT_ONCE = 20
const TIMEOUT_MS = 5000
/** The body of a refusal: `{"err": "…", "description": "…"}` (§2.3). */
const MAX_ANSWER_BYTES = 4096

/** Seconds before the second and each later attempt; after the last one the event is dropped. */
const RETRY_SECONDS = [1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800] as const

/** What became of an attempt: a refusal is final, a failure is not. */
type Answer =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'rejected' | 'failed'; readonly error: string }

const errOf = (text: string): string => {
  try {
    const { err } = JSON.parse(text) as { readonly err?: unknown }
    return typeof err === 'string' ? err.slice(0, 100) : 'invalid_request'
  } catch {
    return 'invalid_request'
  }
}

export const pushDelivery = (
  services: Pick<Services, 'pool' | 'vault' | 'clock' | 'configuration' | 'egress' | 'publicUrl'>,
  log: { warn(fields: object, message: string): void },
) => {
  const { pool, vault, clock, configuration: cache, egress, publicUrl } = services
  const queue = sharedSignalQueue(pool, clock)

  const authorizationOf = (id: string, sealed: string | null): Record<string, string> | null => {
    if (sealed === null) return {}
    try {
      return { Authorization: vault.open(AUTHORIZATION_PURPOSE, sealed, id).toString() }
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }

  const post = async (url: string, token: string, authorization: Record<string, string>): Promise<Answer> => {
    try {
      const { status, text } = await egress.send(url, {
        method: 'POST',
        headers: {
          ...{ 'Content-Type': 'application/secevent+jwt', Accept: 'application/json' },
          ...{ 'User-Agent': 'Svc-Shared-Signals', ...authorization },
        },
        body: token,
        timeout: TIMEOUT_MS,
        limit: MAX_ANSWER_BYTES,
      })
      if (status === 202 || status === 200 || status === 204) return { outcome: 'delivered' }
      return status === 400
        ? { outcome: 'rejected', error: errOf(text) }
        : { outcome: 'failed', error: `status ${String(status)}` }
    } catch (error) {
      if (error instanceof EgressError) return { outcome: 'failed', error: error.failure }
      throw error
    }
  }

  const deliverOne = async (signal: QueuedSignal): Promise<void> => {
    const { id, streamId, attempts } = signal
    const stream = await findSharedSignalsStream(pool, streamId)
    const configuration = cache.now()
    const { applicationById, activeKey } = configuration
    const application = stream === null ? null : oidcOnly(applicationById.get(stream.applicationId))
    const url = stream?.endpointUrl ?? null
    const mayReceive =
      application?.status === 'active' && ssfScopesOf(application, configuration, publicUrl).length > 0
    // A receiver that lost its scopes gets nothing more, although it cannot delete its stream either.
    if (stream === null || url === null || !mayReceive) {
      await queue.finish(streamId, [id], 'unwanted')
      return
    }
    const authorization = authorizationOf(streamId, stream.sealedAuthorization)
    const answer: Answer =
      activeKey === null || authorization === null
        ? {
            outcome: 'failed',
            error: activeKey === null ? 'no signing key' : 'the Authorization header is unreadable',
          }
        : await post(
            url,
            await securityEventToken(
              signal,
              { issuer: publicUrl, audience: application.clientId },
              activeKey,
            ),
            authorization,
          )
    if (answer.outcome === 'delivered') return queue.finish(streamId, [id], 'delivered')
    const retry = answer.outcome === 'failed' ? RETRY_SECONDS[attempts - 1] : undefined
    if (retry !== undefined) {
      await queue.postpone(id, retry, answer.error)
      return
    }
    await queue.finish(streamId, [id], answer.outcome, answer.error)
    log.warn(
      { streamId, jti: id, attempts, reason: answer.error },
      'security event not delivered, no more retries',
    )
  }

  return {
    /** Sends all due events. */
    deliver: async (): Promise<void> => {
      for (
        let claimed = await queue.claim(AT_ONCE);
        claimed.length > 0;
        claimed = await queue.claim(AT_ONCE)
      ) {
        await cache.fresh()
        const results = await Promise.allSettled(claimed.map(deliverOne))
        const failed = results.find((result) => result.status === 'rejected')
        if (failed !== undefined) throw failed.reason
        if (claimed.length < AT_ONCE) return
      }
    },
    sweep: () => queue.sweep(),
  }
}
