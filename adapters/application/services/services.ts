import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import type { ConfigurationCache } from './configuration.ts'
import type { Egress } from '../../engines/egress/client.ts'
import type { Handle, InForce } from './handle.ts'
import type { HandleMany } from './handle-many.ts'
import type { Locate } from '../../engines/geoip/locate.ts'
import type { NewRsaKey } from '../../engines/vault/rsa-key.ts'
import type { WakeUp } from '../../kernel/wake-up.ts'
import type { Tally } from '../../kernel/tally.ts'
import type { Outbox } from './outbox.ts'
import type { Locks } from '../../engines/postgres/locks.ts'
import type { Reservations } from '../../engines/postgres/reservations.ts'
import type { PastRecord } from '../../../read-models/queries/past.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import type { OutboundSource } from './outbound-source.ts'

/** What commands need besides their streams: facts, claims on unique values, secrets, time and randomness. */
export interface Services {
  readonly handle: Handle
  /** The same for commands on many streams at once. */
  readonly handleMany: HandleMany
  /** Waits for what was carried out with `wait: 'left_to_caller'`. */
  readonly inForce: InForce
  /** Looks into the read models. */
  readonly pool: pg.Pool
  /** The same, for the few look-ups that every request makes: by index, planned once. */
  readonly lookups: pg.Pool
  readonly reservations: Reservations
  readonly locks: Locks
  readonly vault: Vault
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly newRsaKey: NewRsaKey
  readonly configuration: ConfigurationCache
  /** Requests to addresses that others have configured. */
  readonly egress: Pick<Egress, 'post' | 'send'>
  /** The events for webhook endpoints. */
  readonly outbound: OutboundSource
  /**
   * Rows by table, as one stream's events up to a place in the log leave them.
   * @param stream of a person, a group or an application
   */
  readonly pastRecord: (stream: string, upTo: string) => Promise<PastRecord>
  /** Where an address is, in words. */
  readonly locate: Locate
  readonly mail: {
    /** Whether the service can send email. */
    readonly available: boolean
    /** Signalled when an email was queued, so that it is sent immediately. */
    readonly queued: WakeUp
    /** Recently sent emails; null outside development. */
    readonly outbox: Outbox | null
  }
  /** Whether the service runs for development (SVC_DEV=1): sessions of `svc dev-session` count there alone. */
  readonly development: boolean
  /** Counters for the metrics. */
  readonly tally: Tally
  /** The public address and OpenID issuer, without a trailing slash. */
  readonly publicUrl: string
  /** The program's version. */
  readonly version: string
}
