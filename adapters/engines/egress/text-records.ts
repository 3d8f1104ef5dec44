/** Looks up TXT records, with the DNS servers of the system or those that the operator names. */
import { Resolver } from 'node:dns/promises'

/** The DNS servers did not answer, so nothing is known about the record. */
export class DnsUnavailable extends Error {
  constructor(name: string, cause: unknown) {
    super(`the DNS servers did not answer a question for ${name}`, { cause })
    this.name = 'DnsUnavailable'
  }
}

export interface TextRecords {
  /**
   * Returns the values of all TXT records of a name, their strings joined (RFC 7208 §3.3); none for an unknown name.
   * @throws DnsUnavailable
   */
  readonly textRecords: (name: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 2000
const TRIES = 2

/** The name does not exist, or has no such record. */
const NOTHING: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** @param servers addresses with optional ports (`192.0.2.1`, `[2001:db8::1]:5353`); none for those of the system */
export const openResolver = (servers: readonly string[]): TextRecords => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return {
    textRecords: async (name) => {
      try {
        return (await resolver.resolveTxt(name)).map((strings) => strings.join(''))
      } catch (error) {
        if (error instanceof Error && 'code' in error && NOTHING.has(error.code)) return []
        throw new DnsUnavailable(name, error)
      }
    },
  }
}
