import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

/** Creates a new private RSA key on each call. */
export type NewRsaKey = () => Promise<KeyObject>

/** 2048 bits, the minimum of RFC 7518 §3.3. */
export const newRsaKey: NewRsaKey = async () => (await generate('rsa', { modulusLength: 2048 })).privateKey
