/** Executes a request once per `Idempotency-Key`, and returns the stored response for repeats. */
import type { DomainError } from '../../../domain/errors.ts'
import type { CredentialUsed } from './caller.ts'
import { ApiError, toRefusal } from './errors.ts'
import { digest, isIdempotencyKey, type IdempotencyStore, type StoredAnswer } from './idempotency.ts'
import type { Logger } from './logger.ts'
import { refusalAnswer, type Answer } from './answer.ts'

interface Kept {
  readonly store: IdempotencyStore
  readonly now: () => Date
  readonly logger: Logger
  readonly requestId: string
}

interface KeyedRequest {
  readonly key: string
  /** A response is only repeated for the same credential, even for the same user. */
  readonly credential: CredentialUsed
  /** Everything that identifies the request. */
  readonly parts: readonly (string | Uint8Array)[]
}

/** Headers of the response that a repeat also gets */
const kept = new Set(['location', 'etag', 'link', 'x-total-count'])

const toStored = ({ status, headers, json }: Answer): StoredAnswer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => kept.has(name.toLowerCase()))),
  body: json,
})

/** Failures, and rejections that ask for a retry, are not stored. */
const isOutcome = ({ status, content }: Answer): boolean =>
  status < 500 && status !== 401 && status !== 429 && content === undefined

const stored = ({ status, headers, body }: StoredAnswer): Answer => ({
  status,
  headers: { ...headers, 'Idempotency-Replayed': 'true' },
  json: body,
})

/**
 * @param run executes the request; receives the key from which event ids may be derived
 * @throws DomainError ERR_INVALID if the key was used for another request, ERR_CONFLICT while the first request is
 * running
 */
export const once = async (
  { store, now, logger, requestId }: Kept,
  { key, credential, parts }: KeyedRequest,
  run: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> => {
  const field = 'Idempotency-Key'
  if (!isIdempotencyKey(key))
    throw new ApiError('ERR_INVALID', `${field}: expected 1 to 255 printable ASCII characters`)
  const name = digest(credential.type, credential.id, key)
  const fingerprint = digest(...parts)
  const begun = await store.begin(name, fingerprint, now())
  switch (begun.state) {
    case 'done':
      return stored(begun.answer)
    case 'different':
      throw new ApiError(
        'ERR_INVALID',
        `${field}: expected a new key, because this one was used for a different request`,
      )
    case 'running':
      throw new ApiError('ERR_CONFLICT', 'The first request with this Idempotency-Key is still running.', {
        headers: { 'Retry-After': '1' },
      })
    case 'new': {
      const storeAnswer = async (answer: Answer): Promise<void> => {
        try {
          await (isOutcome(answer)
            ? store.finish(name, begun.attempt, toStored(answer))
            : store.release(name, begun.attempt))
        } catch (error) {
          logger.error({ err: error, requestId }, 'response could not be stored for retries')
        }
      }
      try {
        const answer = await run(digest(name, fingerprint, begun.startedAt.toISOString()))
        await storeAnswer(answer)
        return answer
      } catch (thrown) {
        const refusal: DomainError = toRefusal(thrown)
        await storeAnswer(refusalAnswer(refusal, requestId))
        throw thrown
      }
    }
  }
}
