import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { secondsAfter, type Instant } from '../time.ts'
import type { DnsDomainEvent } from './events.ts'

export type DomainStatus = 'pending' | 'verified' | 'failed'

export interface DnsDomainState {
  readonly exists: 'not_yet' | 'yes' | 'deleted'
  readonly name: string
  readonly token: string
  readonly status: DomainStatus
  /** When the record of a verified domain was first missing; null if it was there at the last check */
  readonly missingSince: Instant | null
}

export type DnsDomainCommand =
  | {
      type: 'create'
      domainId: string
      name: string
      token: string
      /** Number of existing domains */
      count: number
    }
  | {
      type: 'check'
      domainId: string
      /** Whether the record was there. A check without a response of the DNS servers is none. */
      found: boolean
      /** Whether an administrator asked for it */
      requested: boolean
      now: Instant
    }
  | {
      type: 'delete'
      domainId: string
      /** Names of identity providers of the domain */
      usedBy: readonly string[]
    }

export const MAX_DOMAINS = 100

/** How long a verified domain may be without its record. */
export const GRACE_SECONDS = 7 * 86_400

/** RFC 1035 §2.3.1, RFC 1123 §2.1: at least two labels, the last not only digits. */
const NAME =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** The TXT record that proves a domain. */
export const recordOf = (name: string, token: string) => ({
  recordName: `_svc-challenge.${name}`,
  recordType: 'TXT' as const,
  recordValue: `svc-verification=${token}`,
})

const initial: DnsDomainState = {
  exists: 'not_yet',
  name: '',
  token: '',
  status: 'pending',
  missingSince: null,
}

const evolve = (state: DnsDomainState, { type, data }: DnsDomainEvent): DnsDomainState => {
  switch (type) {
    case 'domain.created':
      return { ...initial, exists: 'yes', name: data.name, token: data.token }
    case 'domain.verified':
      return { ...state, status: 'verified', missingSince: null }
    case 'domain.verification_failed':
      return { ...state, status: 'failed' }
    case 'domain.record_missing':
      return { ...state, missingSince: data.since }
    case 'domain.lost':
      return { ...state, status: 'pending', missingSince: null }
    case 'domain.deleted':
      return { ...state, exists: 'deleted' }
  }
}

const check = (
  { domainId, found, requested, now }: Extract<DnsDomainCommand, { type: 'check' }>,
  { name, status, missingSince }: DnsDomainState,
): Decision<DnsDomainEvent> => {
  const data = { domainId, name }
  if (found)
    return status === 'verified' && missingSince === null
      ? accept()
      : accept({ type: 'domain.verified', data })
  if (status !== 'verified')
    return requested && status !== 'failed' ? accept({ type: 'domain.verification_failed', data }) : accept()
  if (missingSince === null) return accept({ type: 'domain.record_missing', data: { ...data, since: now } })
  return secondsAfter(missingSince, GRACE_SECONDS) <= now ? accept({ type: 'domain.lost', data }) : accept()
}

const decide = (command: DnsDomainCommand, state: DnsDomainState): Decision<DnsDomainEvent> => {
  const { domainId } = command
  if (command.type === 'create') {
    const { name, token, count } = command
    if (state.exists !== 'not_yet') return refuse('ERR_CONFLICT')
    if (!NAME.test(name)) return refuse('ERR_INVALID', 'name: expected a domain such as example.com', '/name')
    if (count >= MAX_DOMAINS)
      return refuse('ERR_CONFLICT', `There are already ${String(MAX_DOMAINS)} domains, which is the maximum.`)
    return accept({ type: 'domain.created', data: { domainId, name, token } })
  }
  if (state.exists !== 'yes') return refuse('ERR_NOT_FOUND')
  if (command.type === 'check') return check(command, state)
  return command.usedBy.length === 0
    ? accept({ type: 'domain.deleted', data: { domainId, name: state.name } })
    : refuse('ERR_CONFLICT', `Identity providers use this domain: ${command.usedBy.join(', ')}.`)
}

export const dnsDomainDecider: Decider<DnsDomainState, DnsDomainCommand, DnsDomainEvent> = {
  initial,
  evolve,
  decide,
}

export const dnsDomainStream = (domainId: string): string => `domain-${domainId}`
