/**
 * What a certificate of a user may say, from the mappings of the user's groups. Of several mappings, the certificate
 * gets all principals and every limit: a member of one more group never gets a principal under weaker limits.
 */
import { refuse } from '../decider.ts'
import { readSpan, type AddressSpan } from '../network-zone/address.ts'
import { VALIDITY } from './decider.ts'
import type { SshExtension, SshPrincipalMappingFields } from './events.ts'

/** OpenSSH rejects certificates with more. */
const MAX_PRINCIPALS_OF_CERTIFICATE = 256

export interface SshEntitlement {
  readonly principals: readonly string[]
  readonly maxValiditySeconds: number
  readonly sourceAddresses: readonly string[]
  readonly extensions: readonly SshExtension[]
}

type Mapping = Omit<SshPrincipalMappingFields, 'groupId'>

const isWithin = (inner: AddressSpan, outer: AddressSpan): boolean =>
  inner.family === outer.family && inner.first >= outer.first && inner.last <= outer.last

/** Two ranges of CIDR do not overlap, or one contains the other. */
const inBoth = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const within = (ranges: readonly string[], limits: readonly string[]): readonly string[] =>
    ranges.filter((range) => {
      const inner = readSpan(range)
      return inner !== null && limits.some((limit) => isWithin(inner, readSpan(limit) ?? inner))
    })
  return [...new Set([...within(one, other), ...within(other, one)])]
}

const commonSources = (mappings: readonly Mapping[]): readonly string[] | 'none' => {
  const limited = mappings.map(({ sourceAddresses }) => sourceAddresses).filter(({ length }) => length > 0)
  const [first, ...rest] = limited
  if (first === undefined) return []
  const common = rest.reduce(inBoth, first)
  return common.length === 0 ? 'none' : common
}

/**
 * @param mappings of all groups of the user
 * @param requested the principals that the user wants; null for all
 */
export const entitlementOf = (
  mappings: readonly Mapping[],
  requested: readonly string[] | null,
): SshEntitlement | ReturnType<typeof refuse> => {
  const mapped = new Set(mappings.flatMap(({ principals }) => principals))
  if (mapped.size === 0) return refuse('ERR_NO_PRINCIPALS')
  const missing = requested?.findIndex((name) => !mapped.has(name)) ?? -1
  if (requested !== null && missing !== -1)
    return refuse(
      'ERR_NO_PRINCIPALS',
      `None of your groups maps to the SSH principal ${requested[missing] ?? ''}.`,
      `/principals/${String(missing)}`,
    )
  const principals = [...new Set(requested ?? mapped)].sort()
  if (principals.length > MAX_PRINCIPALS_OF_CERTIFICATE)
    return refuse(
      'ERR_INVALID',
      `principals: your groups map to ${String(principals.length)} SSH principals, and a certificate can have ${String(MAX_PRINCIPALS_OF_CERTIFICATE)}. Choose some of them.`,
      '/principals',
    )
  const granting = mappings.filter((mapping) => mapping.principals.some((name) => principals.includes(name)))
  const sourceAddresses = commonSources(granting)
  if (sourceAddresses === 'none')
    return refuse(
      'ERR_INVALID',
      'principals: your groups limit these SSH principals to addresses that have nothing in common. Choose principals of one group.',
      '/principals',
    )
  const [first, ...rest] = granting
  return {
    principals,
    maxValiditySeconds: Math.min(
      VALIDITY.most,
      ...granting.map(({ maxValiditySeconds }) => maxValiditySeconds ?? VALIDITY.most),
    ),
    sourceAddresses,
    extensions: (first?.extensions ?? []).filter((name) =>
      rest.every(({ extensions }) => extensions.includes(name)),
    ),
  }
}
