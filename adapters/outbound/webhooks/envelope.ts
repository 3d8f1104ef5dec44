import { createHmac } from 'node:crypto'
import type { OutboundEvent } from '../../application/services/outbound-source.ts'

/** Returns the bytes to post, which are the same for every attempt. */
export const envelopeOf = ({ id, type, time, data }: OutboundEvent): string =>
  JSON.stringify({ id, type, time, data })

/**
 * Returns the `Svc-Signature` header.
 * @param t Unix seconds of the attempt
 * @param secret the entire secret, with its prefix
 */
export const signatureOf = (secret: string, t: number, body: string): string => {
  const at = String(t)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
