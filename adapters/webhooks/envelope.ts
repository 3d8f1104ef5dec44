import { createHmac } from 'node:crypto'
import type { Instant } from '../../domain/time.ts'

/** An event on its way to the outside. */
export interface OutboundEvent {
  /** Its place in the log. */
  readonly position: string
  /** Under which the audit trail (`aud_`) or the sign-in events (`evt_`) have it. */
  readonly id: string
  /** The audit action, or `sign_in.<result>`. */
  readonly type: string
  readonly time: Instant
  readonly data: Readonly<Record<string, unknown>>
  /** People whom `data` says something about. */
  readonly subjects: readonly string[]
}

/** The bytes that are posted, the same at every attempt. */
export const envelopeOf = ({ id, type, time, data }: OutboundEvent): string =>
  JSON.stringify({ id, type, time, data })

/**
 * The `Svc-Signature` header.
 * @param t unix seconds of the attempt
 * @param secret the whole of it, with its prefix
 */
export const signatureOf = (secret: string, t: number, body: string): string => {
  const at = String(t)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
