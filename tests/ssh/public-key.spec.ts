import { expect } from 'chai'
import fc from 'fast-check'
import {
  certificateTypes,
  parseSshPublicKey,
  SshPublicKeyError,
  type SshKeyType,
} from '../../adapters/engines/ssh/public-key.ts'
import { ecPoint, ed25519Point, lineOf, newKeyOf, rsaFields } from '../support/ssh/openssh-keys.ts'

const KNOWN =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIeVVVwHQiyNw7ZqdJjzHTZRVtNfV7vcq5L4BVmkxHEP ada@example.com'

const [exponent, modulus] = rsaFields(3072)
const even = Buffer.concat([modulus.subarray(0, -1), Buffer.from([0])])
const offCurve = Buffer.concat([ecPoint('P-256').subarray(0, -1), Buffer.from([1])])

const refused: readonly (readonly [what: string, line: string, why: RegExp])[] = [
  ['an empty text', '', /begins with one of ssh-ed25519/],
  ['an unknown type', lineOf('ssh-dss', 'p', 'q', 'g', 'y'), /begins with one of/],
  ['a certificate', KNOWN.replace('ssh-ed25519', 'ssh-ed25519-cert-v01@openssh.com'), /is a certificate/],
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA', /never the private key/],
  ['two lines', `${KNOWN}\n${KNOWN}`, /one line/],
  ['a line break inside the comment', `${KNOWN}\nroot`, /one line/],
  ['options before the type', `command="id" ${KNOWN}`, /begins with one of/],
  ['a name of Object.prototype', 'constructor AAAA', /begins with one of/],
  ['no key', 'ssh-ed25519', /base64/],
  ['no base64', 'ssh-ed25519 ***', /base64/],
  ['a different type inside', KNOWN.replace('ssh-ed25519', 'ssh-rsa'), /type inside the key differs/],
  ['an Ed25519 key of 31 bytes', lineOf('ssh-ed25519', Buffer.alloc(31)), /32 bytes/],
  ['data after the end', lineOf('ssh-ed25519', ed25519Point(), 'more'), /after the end/],
  ['a missing field', lineOf('ssh-rsa', exponent), /ends too early/],
  ['another curve', lineOf('ecdsa-sha2-nistp256', 'nistp384', ecPoint('P-384')), /curve does not match/],
  ['a point off the curve', lineOf('ecdsa-sha2-nistp256', 'nistp256', offCurve), /not on the curve/],
  [
    'a compressed point',
    lineOf(
      'ecdsa-sha2-nistp256',
      'nistp256',
      Buffer.concat([Buffer.from([2]), ecPoint('P-256').subarray(1, 33)]),
    ),
    /uncompressed/,
  ],
  [
    'an RSA key of 2048 bits',
    lineOf('ssh-rsa', ...rsaFields(2048)),
    /3072 to 16384 bits, got 2048.*ssh-keygen/,
  ],
  ['an even modulus', lineOf('ssh-rsa', exponent, even), /even/],
  ['the exponent 1', lineOf('ssh-rsa', Buffer.from([1]), modulus), /exponent/],
  ['a negative modulus', lineOf('ssh-rsa', exponent, modulus.subarray(1)), /shortest form/],
  [
    'a key of a security key for a web site',
    lineOf('sk-ssh-ed25519@openssh.com', ed25519Point(), 'https://example.com'),
    /created for ssh/,
  ],
]

describe('SSH public keys', () => {
  for (const type of Object.keys(certificateTypes) as SshKeyType[])
    it(`SSH-01 ${type} is accepted`, () => {
      const key = parseSshPublicKey(newKeyOf[type]())
      expect(key.type).to.equal(type)
      expect(key.fingerprint).to.match(/^SHA256:[\w+/]{43}$/)
    })

  it('SSH-01 the fingerprint is that of ssh-keygen, and the comment does not matter', () => {
    for (const line of [KNOWN, `  ${KNOWN}\r\n`, KNOWN.split(' ').slice(0, 2).join('\t')])
      expect(parseSshPublicKey(line).fingerprint).to.equal(
        'SHA256:DrRSl0YALkWlGHyuI3xsrkP3QnucrslBNMMIQX3AR3U',
      )
  })

  for (const [what, line, why] of refused)
    it(`SSH-01 ${what} is rejected`, () => {
      expect(() => parseSshPublicKey(line)).to.throw(SshPublicKeyError, why)
    })

  it('SSH-01 no input causes any other error', () => {
    const types = fc.constantFrom(...Object.keys(certificateTypes))
    const damaged = fc
      .tuple(fc.constantFrom(...Object.values(newKeyOf).map((make) => make())), fc.nat(), fc.nat(255))
      .map(([line, at, byte]) => {
        const [type = '', base64 = ''] = line.split(' ')
        const bytes = Buffer.from(base64, 'base64')
        bytes[at % bytes.length] = byte
        return `${type} ${bytes.toString('base64')}`
      })
    const random = fc
      .tuple(types, fc.uint8Array({ maxLength: 100 }))
      .map(([type, bytes]) => `${type} ${Buffer.from(bytes).toString('base64')}`)
    fc.assert(
      fc.property(fc.oneof(damaged, random, fc.string()), (line) => {
        try {
          parseSshPublicKey(line)
        } catch (error) {
          expect(error).to.be.instanceOf(SshPublicKeyError)
        }
      }),
      { numRuns: 500, seed: 4711 },
    )
  })
})
