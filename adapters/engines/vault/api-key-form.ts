/**
 * The format of API keys: `svk_`, 256 random bits as 43 base62 digits, and a CRC-32 of those digits as 6 more. The
 * checksum lets secret scanners and the service reject false matches without a lookup.
 */
import { crc32 } from 'node:zlib'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = 62n
const RANDOM_DIGITS = 43
const CHECK_DIGITS = 6

export const API_KEY_PREFIX = 'svk_'

/** Characters of a key that may be shown: the prefix and 8 digits. */
export const SHOWN_CHARACTERS = 12

const base62 = (number: bigint, digits: number): string => {
  let text = ''
  for (let left = number; text.length < digits; left /= BASE)
    text = (DIGITS[Number(left % BASE)] ?? '') + text
  return text
}

const checksumOf = (digits: string): string => base62(BigInt(crc32(digits)), CHECK_DIGITS)

/** @param bytes 32 random bytes */
export const writeApiKey = (bytes: Buffer): string => {
  const digits = base62(BigInt(`0x${bytes.toString('hex')}`), RANDOM_DIGITS)
  return API_KEY_PREFIX + digits + checksumOf(digits)
}

/** Whether a text has the form of a key, including the checksum. */
export const isApiKey = (text: string): boolean => {
  const [, digits, checksum] = /^svk_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text) ?? []
  return digits !== undefined && checksumOf(digits) === checksum
}
