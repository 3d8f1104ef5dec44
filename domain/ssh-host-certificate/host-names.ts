/**
 * The names of servers in host certificates (PROTOCOL.certkeys of OpenSSH). ssh compares them with what its user typed,
 * in lower case, or with the usual form of an address.
 */
import { refuse } from '../decider.ts'
import { readAddress, readSpan, writeSpan } from '../network-zone/address.ts'

/** Of a service account, and of a certificate; OpenSSH accepts up to 256 in one. */
export const MAX_HOST_NAMES = 100

/** The characters and the length of host names and patterns: one word without commas. */
export const HOST_NAME_PATTERN = '^[a-z0-9:*][a-z0-9.:-]{0,254}$'

const MAX_DNS_LENGTH = 253
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DNS_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)
const TWO_LABELS = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`)

/** The last label is no number: ssh would read the name as an address, such as 127.1. */
const isDnsName = (text: string): boolean =>
  text.length <= MAX_DNS_LENGTH && DNS_NAME.test(text) && !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(text)

/** An address in its usual form (RFC 5952 for IPv6), without a zone. */
const isAddress = (text: string): boolean => {
  const span = readAddress(text) === null ? null : readSpan(text)
  return span !== null && writeSpan(span).replace(/\/\d+$/, '') === text
}

/** Whether a certificate can have the name: a DNS name or an address, and never a wildcard. */
export const isHostName = (text: string): boolean => isDnsName(text) || isAddress(text)

const WILDCARD = '*.'

/** Whether a service account can have the pattern: a host name, or `*.` and a DNS name of at least two labels. */
export const isHostPattern = (text: string): boolean => {
  if (!text.startsWith(WILDCARD)) return isHostName(text)
  const domain = text.slice(WILDCARD.length)
  return text.length <= MAX_DNS_LENGTH && isDnsName(domain) && TWO_LABELS.test(domain)
}

/** The pattern in which `*` stands for the first label of a name; undefined for a single label. */
const wildcardOf = (name: string): string | undefined => {
  const dot = name.indexOf('.')
  return dot === -1 ? undefined : `*${name.slice(dot)}`
}

const isAllowed = (patterns: readonly string[], name: string): boolean => {
  const wildcard = wildcardOf(name)
  return patterns.includes(name) || (wildcard !== undefined && patterns.includes(wildcard))
}

/**
 * Returns the names of a certificate, at least one, because ssh accepts a certificate without any for every host.
 * @param patterns of the service account
 * @param requested the wanted names; null for all patterns without a wildcard
 */
export const hostNamesOf = (
  patterns: readonly string[],
  requested: readonly string[] | null,
): { readonly hostNames: readonly string[] } | ReturnType<typeof refuse> => {
  if (patterns.length === 0) return refuse('ERR_NO_PRINCIPALS', 'This service account has no SSH host names.')
  const hostNames = [...new Set(requested ?? patterns.filter((pattern) => !pattern.startsWith(WILDCARD)))]
  if (hostNames.length === 0 || hostNames.length > MAX_HOST_NAMES)
    return refuse(
      'ERR_INVALID',
      `hostNames: expected 1 to ${String(MAX_HOST_NAMES)} names, such as one that ${patterns[0] ?? ''} allows`,
      '/hostNames',
    )
  for (const [at, name] of hostNames.entries()) {
    const field = `/hostNames/${String(at)}`
    if (!isHostName(name))
      return refuse(
        'ERR_INVALID',
        `hostNames/${String(at)}: expected a DNS name in lower case, or an address in its usual form, without a wildcard`,
        field,
      )
    if (!isAllowed(patterns, name))
      return refuse('ERR_NO_PRINCIPALS', `${name} is not an SSH host name of this service account.`, field)
  }
  return { hostNames }
}
