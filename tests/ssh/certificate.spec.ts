import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { expect } from 'chai'
import { newAuthorityKey } from '../../adapters/engines/ssh/authority-key.ts'
import {
  authorityPublicKey,
  signCertificate,
  type CertificateContent,
} from '../../adapters/engines/ssh/certificate.ts'
import { writeKrl } from '../../adapters/engines/ssh/krl.ts'
import {
  certificateTypes,
  parseSshPublicKey,
  type SshKeyType,
} from '../../adapters/engines/ssh/public-key.ts'
import { readWire } from '../../adapters/engines/ssh/wire.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'

const authority = newAuthorityKey(randomBytes)
const nonce = Buffer.alloc(32, 7)

const content: CertificateContent = {
  type: 'user',
  serial: 2n ** 63n - 1n,
  keyId: 'ada@example.com|usr_1|aud_1',
  principals: ['deploy', 'root'],
  validAfter: 1_700_000_000,
  validBefore: 1_700_003_600,
  sourceAddresses: ['192.0.2.0/24', '2001:db8::/32'],
  extensions: ['permit-pty', 'permit-X11-forwarding'],
}

const signed = (type: SshKeyType, changed: Partial<CertificateContent> = {}): Buffer => {
  const key = parseSshPublicKey(newKeyOf[type]())
  const [, base64 = ''] = signCertificate(authority, key, { ...content, ...changed }, nonce).split(' ')
  return Buffer.from(base64, 'base64')
}

/** The last string of a certificate is the signature of everything before it. */
const signatureOf = (bytes: Buffer) => {
  const length = 4 + 4 + 'ssh-ed25519'.length + 4 + 64
  const read = readWire(bytes.subarray(bytes.length - length + 4))
  return { covered: bytes.subarray(0, bytes.length - length), type: read.string(), value: read.string() }
}

describe('SSH certificates', () => {
  for (const type of Object.keys(certificateTypes) as SshKeyType[])
    it(`SSH-01 a certificate of ${type} has its type and a valid signature of the authority`, () => {
      const bytes = signed(type)
      expect(readWire(bytes).string().toString()).to.equal(certificateTypes[type])
      const { covered, type: algorithm, value } = signatureOf(bytes)
      expect(algorithm.toString()).to.equal('ssh-ed25519')
      expect(verify(null, covered, createPublicKey(authority), value)).to.equal(true)
    })

  it('SSH-01 options are sorted by name, and permissions have no data', () => {
    const text = signed('ssh-ed25519').toString('latin1')
    expect(text.indexOf('permit-X11-forwarding')).to.be.lessThan(text.indexOf('permit-pty'))
    expect(text).to.include('192.0.2.0/24,2001:db8::/32')
    expect(signed('ssh-ed25519', { sourceAddresses: [] }).toString('latin1')).not.to.include('source-address')
  })

  for (const [what, principals] of [
    ['no principals, which would be valid for every account', []],
    ['an empty principal', ['']],
    ['a principal with a comma', ['deploy,root']],
    ['a principal with a line break', ['deploy\nroot']],
    ['a principal with a space', ['deploy root']],
  ] as const)
    it(`SSH-01 a certificate with ${what} is never signed`, () => {
      expect(() => signed('ssh-ed25519', { principals })).to.throw(RangeError)
    })

  it('SSH-01 the public key of the authority is an Ed25519 key', () => {
    const { line, fingerprint, blob } = authorityPublicKey(authority)
    const parsed = parseSshPublicKey(line)
    expect(parsed).to.deep.include({ type: 'ssh-ed25519', fingerprint })
    expect(parsed.blob.equals(blob)).to.equal(true)
  })

  it('SSH-01 a revocation list names the authority and its serials, and leaves out authorities without any', () => {
    const { blob } = authorityPublicKey(authority)
    const other = authorityPublicKey(newAuthorityKey(randomBytes)).blob
    const list = writeKrl(
      5n,
      1_700_000_000,
      {
        authorities: [],
        certificates: [
          { authority: blob, serials: [1n, 2n ** 63n - 1n] },
          { authority: other, serials: [] },
        ],
      },
      'id.example.com',
    )
    expect(list.subarray(0, 8).toString('latin1')).to.equal('SSHKRL\n\0')
    expect(list.includes(blob)).to.equal(true)
    expect(list.includes(other)).to.equal(false)
    expect(list.includes(Buffer.from('7fffffffffffffff', 'hex'))).to.equal(true)
  })
})
