import { createHmac } from 'node:crypto'
import type { OutboundEvent } from '../../application/services/outbound-source.ts'

/** The bytes that are posted, the same at every attempt. */
export const envelopeOf = ({ id, type, time, data }: OutboundEvent): string =>
  JSON.stringify({ id, type, time, data })

/**
 * The `Svc-Signature` header.
 * @param t unix seconds of the attempt
 * @param secret the entire secret, with its prefix
 */
export const signatureOf = (secret: string, t: number, body: string): string => {
  const at = String(t)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
