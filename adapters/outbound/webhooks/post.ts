/** One attempt to deliver an event, and its outcome. */
import { epochSeconds } from '../../kernel/clock.ts'
import { EgressError, type Egress } from '../../engines/egress/client.ts'
import type { Instant } from '../../../domain/time.ts'
import { signatureOf } from './envelope.ts'

/** Seconds for an entire attempt, from name resolution to the status of the response. */
export const TIMEOUT_SECONDS = 10

const TEXT_LIMIT = 500

export type DeliveryError =
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'redirect'
  | 'non_2xx'
  | 'secret_unreadable'

/** The outcome of an attempt: delivered if `error` is null. */
export interface Outcome {
  readonly httpStatus: number | null
  readonly error: DeliveryError | null
  /** The error for users; at most 500 characters */
  readonly errorText: string | null
  /** Milliseconds */
  readonly durationMs: number
}

const answered = (status: number): Pick<Outcome, 'error' | 'errorText'> => {
  if (status >= 200 && status < 300) return { error: null, errorText: null }
  return status >= 300 && status < 400
    ? { error: 'redirect', errorText: `returned ${String(status)}; redirects are not followed` }
    : { error: 'non_2xx', errorText: `returned ${String(status)}` }
}

/** Posts an event to an address, with a signature of the current time. */
export const postEvent = async (
  egress: Pick<Egress, 'post'>,
  { url, secret, body, at }: { url: string; secret: string; body: string; at: Instant },
  seconds = TIMEOUT_SECONDS,
): Promise<Outcome> => {
  const began = performance.now()
  const lasted = (): number => Math.round(performance.now() - began)
  try {
    const { status } = await egress.post(url, {
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Svc-Webhooks',
        'Svc-Signature': signatureOf(secret, epochSeconds(at), body),
      },
      body,
      timeout: seconds * 1000,
    })
    return { httpStatus: status, ...answered(status), durationMs: lasted() }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return {
      httpStatus: null,
      error: error.failure === 'refused' ? 'connection' : error.failure,
      errorText: error.message.slice(0, TEXT_LIMIT),
      durationMs: lasted(),
    }
  }
}

/** The outcome if the endpoint's secret, or the body, can no longer be decrypted. */
export const unreadable: Outcome = {
  httpStatus: null,
  error: 'secret_unreadable',
  errorText:
    'the signing secret cannot be read with the current SVC_SECRET_KEY; create a new endpoint and delete this one',
  durationMs: 0,
}
