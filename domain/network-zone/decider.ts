import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { readSpan, writeSpan } from './address.ts'
import { isCountry } from './countries.ts'
import type { NetworkZoneEvent, NetworkZoneFields, NetworkZoneType } from './events.ts'
import { zoneMatcher, type Network } from './matcher.ts'

/** The number of zones that can exist: every instance keeps them in memory. */
export const MAX_ZONES = 200

export interface NetworkZoneState {
  readonly exists: 'not_yet' | 'yes' | 'deleted'
  readonly fields: NetworkZoneFields
}

/** What shows whether a change would block the request that makes it. */
export interface NetworkZoneGuard {
  /** Where the request comes from */
  readonly here: Network
  /** Save even if that is blocked. */
  readonly force: boolean
}

export type NetworkZoneCommand =
  | {
      type: 'create'
      networkZoneId: string
      fields: NetworkZoneFields
      /** Number of existing zones */
      count: number
      guard: NetworkZoneGuard
    }
  | {
      type: 'update'
      networkZoneId: string
      fields: Partial<NetworkZoneFields>
      guard: NetworkZoneGuard
    }
  | {
      type: 'delete'
      networkZoneId: string
      /** Names of the policies that name the zone */
      usedBy: readonly string[]
    }

const initial: NetworkZoneState = {
  exists: 'not_yet',
  fields: {
    name: '',
    type: 'ip',
    cidrs: [],
    countries: [],
    asns: [],
    anonymizers: false,
    blocked: false,
    trusted: false,
  },
}

/** A zone without networks. */
export const emptyZone = initial.fields

const evolve = (state: NetworkZoneState, { type, data }: NetworkZoneEvent): NetworkZoneState => {
  switch (type) {
    case 'network_zone.created': {
      const { networkZoneId: _, ...fields } = data
      return { exists: 'yes', fields }
    }
    case 'network_zone.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'network_zone.deleted':
      return { ...state, exists: 'deleted' }
  }
}

const listOf = { ip: 'cidrs', geo: 'countries', asn: 'asns' } as const satisfies Record<
  NetworkZoneType,
  keyof NetworkZoneFields
>

/** Returns the fields in one form, or why they are not valid. */
const normalised = (
  fields: NetworkZoneFields,
): { readonly fields: NetworkZoneFields } | ReturnType<typeof refuse> => {
  for (const [type, list] of Object.entries(listOf))
    if (type !== fields.type && fields[list].length > 0)
      return refuse('ERR_INVALID', `${list}: not allowed for a zone of type ${fields.type}`, `/${list}`)
  const own = listOf[fields.type]
  if (fields[own].length === 0)
    return refuse(
      'ERR_INVALID',
      `${own}: expected at least one item for a zone of type ${fields.type}`,
      `/${own}`,
    )
  if (fields.blocked && fields.trusted)
    return refuse('ERR_INVALID', 'trusted: a blocked zone cannot be trusted', '/trusted')
  const cidrs: string[] = []
  for (const [at, text] of fields.cidrs.entries()) {
    const span = readSpan(text)
    if (span === null)
      return refuse(
        'ERR_INVALID',
        `cidrs/${String(at)}: expected an IPv4 or IPv6 address or range such as 192.0.2.0/24`,
        `/cidrs/${String(at)}`,
      )
    cidrs.push(writeSpan(span))
  }
  const unknown = fields.countries.findIndex((code) => !isCountry(code))
  if (unknown !== -1)
    return refuse(
      'ERR_INVALID',
      `countries/${String(unknown)}: expected an ISO 3166-1 alpha-2 code such as DE`,
      `/countries/${String(unknown)}`,
    )
  return {
    fields: {
      ...fields,
      cidrs: [...new Set(cidrs)],
      countries: [...new Set(fields.countries)].sort(),
      asns: [...new Set(fields.asns)].sort((one, other) => one - other),
    },
  }
}

const lockOut = (
  fields: NetworkZoneFields,
  before: NetworkZoneFields | null,
  { here, force }: NetworkZoneGuard,
) => {
  const blocks = (zone: NetworkZoneFields): boolean =>
    zone.blocked && zoneMatcher([{ ...zone, id: '' }])(here).length > 0
  return !force && blocks(fields) && (before === null || !blocks(before))
    ? refuse(
        'ERR_CONFLICT',
        'This zone would block the address that this request comes from. Send "force": true to save anyway.',
        '/force',
      )
    : null
}

const decide = (command: NetworkZoneCommand, state: NetworkZoneState): Decision<NetworkZoneEvent> => {
  const { networkZoneId } = command
  if (command.type === 'create') {
    if (state.exists !== 'not_yet') return refuse('ERR_CONFLICT')
    if (command.count >= MAX_ZONES)
      return refuse(
        'ERR_CONFLICT',
        `There are already ${String(MAX_ZONES)} network zones, which is the maximum.`,
      )
    const valid = normalised(command.fields)
    if ('refusal' in valid) return valid
    return (
      lockOut(valid.fields, null, command.guard) ??
      accept({ type: 'network_zone.created', data: { networkZoneId, ...valid.fields } })
    )
  }
  if (state.exists !== 'yes') return refuse('ERR_NOT_FOUND')
  if (command.type === 'delete')
    return command.usedBy.length === 0
      ? accept({ type: 'network_zone.deleted', data: { networkZoneId } })
      : refuse('ERR_CONFLICT', `This network zone is still used by ${command.usedBy.join(', ')}.`)
  const valid = normalised({ ...state.fields, ...command.fields })
  if ('refusal' in valid) return valid
  const changes = changesOf(state.fields, valid.fields)
  if (changes.length === 0) return accept()
  return (
    lockOut(valid.fields, state.fields, command.guard) ??
    accept({ type: 'network_zone.updated', data: { networkZoneId, changes } })
  )
}

export const networkZoneDecider: Decider<NetworkZoneState, NetworkZoneCommand, NetworkZoneEvent> = {
  initial,
  evolve,
  decide,
}

export const networkZoneStream = (networkZoneId: string): string => `network_zone-${networkZoneId}`
