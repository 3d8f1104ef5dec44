/** Key revocation lists in the format of OpenSSH (PROTOCOL.krl), without a signature, as `RevokedKeys` reads them. */
import { string, uint32, uint64 } from './wire.ts'

const MAGIC = Buffer.from('SSHKRL\n\0', 'latin1')
const FORMAT_VERSION = 1
const SECTION_CERTIFICATES = 1
const SECTION_EXPLICIT_KEY = 2
const SECTION_SERIAL_LIST = 0x20

/** What a list revokes; keys are in wire format. */
export interface Revoked {
  /** Everything that these keys have signed is revoked */
  readonly authorities: readonly Uint8Array[]
  readonly certificates: readonly RevokedSerials[]
}

/** The revoked certificates of one authority. */
export interface RevokedSerials {
  /** The public key of the authority in wire format */
  readonly authority: Uint8Array
  /** Ascending, without duplicates */
  readonly serials: readonly bigint[]
}

const section = (type: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([type]), string(content)])

/**
 * Writes a list.
 * @param version a number that grows with each change
 * @param generatedAt seconds since 1970
 */
export const writeKrl = (
  version: bigint,
  generatedAt: number,
  { authorities, certificates }: Revoked,
  comment: string,
): Buffer =>
  Buffer.concat([
    MAGIC,
    uint32(FORMAT_VERSION),
    uint64(version),
    uint64(BigInt(generatedAt)),
    uint64(0n),
    string(''),
    string(comment),
    ...(authorities.length === 0
      ? []
      : [section(SECTION_EXPLICIT_KEY, Buffer.concat(authorities.map(string)))]),
    ...certificates
      .filter(({ serials }) => serials.length > 0)
      .map(({ authority, serials }) =>
        section(
          SECTION_CERTIFICATES,
          Buffer.concat([
            string(authority),
            string(''),
            section(SECTION_SERIAL_LIST, Buffer.concat(serials.map(uint64))),
          ]),
        ),
      ),
  ])
