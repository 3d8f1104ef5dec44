/** A passkey or security key in memory, for what no real browser would send. By default its counter stays 0. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { AttestationCertificate } from './attestation-maker.ts'

interface How {
  readonly origin?: string
  readonly verified?: boolean
  readonly signCount?: number
  /** `self`: signed with the new key itself (WebAuthn Level 3 §6.5.4); or with the certificate of its manufacturer. */
  readonly attestation?: 'none' | 'self' | AttestationCertificate
}

/** What it is created as. */
interface Make {
  /** `security_key`: bound to the one device, which is plugged in. */
  readonly kind?: 'passkey' | 'security_key'
  /** UUID; zeros by default. */
  readonly aaguid?: string
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
}

interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string | undefined
}

export interface SoftPasskey {
  /** @returns RegistrationResponseJSON */
  readonly create: (options: CreationOptions, how?: How) => object
  /** @returns AuthenticationResponseJSON, as that user's */
  readonly get: (options: RequestOptions, userId: string, how?: How) => object
}

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest()
const base64url = (data: Uint8Array | string): string => Buffer.from(data).toString('base64url')

const PRESENT = 0x01
const VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const ATTESTED = 0x40

const authenticatorData = (rpId: string, flags: number, signCount: number): Buffer => {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(signCount)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
}

export const softPasskey = (publicUrl: string, { kind = 'passkey', aaguid }: Make = {}): SoftPasskey => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const cose = isoCBOR.encode(
    new Map<number, number | Uint8Array<ArrayBuffer>>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]),
  )
  const rawId = randomBytes(32)
  const credential = {
    id: base64url(rawId),
    rawId: base64url(rawId),
    type: 'public-key',
    authenticatorAttachment: kind === 'passkey' ? 'platform' : 'cross-platform',
    clientExtensionResults: {},
  }
  const clientData = (type: string, challenge: string, origin = publicUrl) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const flagsOf = ({ verified = true }: How) =>
    PRESENT | (kind === 'passkey' ? BACKUP_ELIGIBLE : 0) | (verified ? VERIFIED : 0)

  return {
    create: (options, how = {}) => {
      const authData = Buffer.concat([
        authenticatorData(options.rp.id, flagsOf(how) | ATTESTED, how.signCount ?? 0),
        aaguid === undefined ? Buffer.alloc(16) : Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
        Buffer.from([0, rawId.length]),
        rawId,
        cose,
      ])
      const client = clientData('webauthn.create', options.challenge, how.origin)
      const { attestation: by = 'none' } = how
      const statement = new Map<string, number | Uint8Array<ArrayBuffer> | Uint8Array<ArrayBuffer>[]>()
      if (by !== 'none') {
        const signature = createSign('sha256').update(Buffer.concat([authData, sha256(client)]))
        const signer = by === 'self' ? privateKey : by.privateKey
        statement.set('alg', -7).set('sig', new Uint8Array(signature.sign(signer)))
        if (by !== 'self') statement.set('x5c', [...by.x5c])
      }
      const attestation = new Map<string, string | typeof statement | Uint8Array<ArrayBuffer>>([
        ['fmt', by === 'none' ? 'none' : 'packed'],
        ['attStmt', statement],
        ['authData', new Uint8Array(authData)],
      ])
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(client),
          attestationObject: base64url(isoCBOR.encode(attestation)),
          transports: kind === 'passkey' ? ['internal', 'hybrid'] : ['usb'],
        },
      }
    },
    get: (options, userId, how = {}) => {
      const authData = authenticatorData(options.rpId ?? '', flagsOf(how), how.signCount ?? 0)
      const client = clientData('webauthn.get', options.challenge, how.origin)
      const signature = createSign('sha256')
        .update(Buffer.concat([authData, sha256(client)]))
        .sign(privateKey)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(signature),
          userHandle: base64url(userId),
        },
      }
    },
  }
}
