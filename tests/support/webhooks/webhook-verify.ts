import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether a request comes from the service. `body` is the raw body, as bytes or text, before any parsing. */
export const isFromTheService = (body: string | Buffer, header: string, secret: string): boolean => {
  const parts = new Map(header.split(',').map((part) => part.split('=') as [string, string]))
  const t = parts.get('t') ?? ''
  const v1 = Buffer.from(parts.get('v1') ?? '', 'hex')
  if (!(Math.abs(Date.now() / 1000 - Number(t)) <= 300)) return false
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  return v1.length === expected.length && timingSafeEqual(v1, expected)
}
