import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import type { ConfigurationCache } from './configuration.ts'
import type { TextRecords } from '../../engines/egress/text-records.ts'
import type { RecordedEvent } from '../../engines/event-log/event-log.ts'
import type { Egress } from '../../engines/egress/client.ts'
import type { Handle, InForce } from './handle.ts'
import type { HandleMany } from './handle-many.ts'
import type { Locate, Whereabouts } from '../../engines/geoip/locate.ts'
import type { NewRsaKey } from '../../engines/vault/rsa-key.ts'
import type { WakeUp } from '../../kernel/wake-up.ts'
import type { Tally } from '../../kernel/tally.ts'
import type { Outbox } from './outbox.ts'
import type { Locks } from '../../engines/postgres/locks.ts'
import type { Reservations } from '../../engines/postgres/reservations.ts'
import type { PastRecord } from '../../../read-models/queries/past.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import type { ServiceStatus } from './service-status.ts'
import type { OutboundSource } from './outbound-source.ts'

/** What commands need besides their streams: facts, claims on unique values, secrets, time and randomness. */
export interface Services {
  readonly handle: Handle
  /** The same for commands on many streams at once. */
  readonly handleMany: HandleMany
  /** Waits for changes that commands made with `wait: 'left_to_caller'`. */
  readonly inForce: InForce
  /** Wakes when the read models of a consumer have advanced. */
  readonly moved: (consumer: 'core' | 'audit') => Pick<WakeUp, 'now' | 'after'>
  /** Connections to the read models. */
  readonly pool: pg.Pool
  /** The same for the few lookups of every request: they use an index and are planned once. */
  readonly lookups: pg.Pool
  readonly reservations: Reservations
  readonly locks: Locks
  readonly vault: Vault
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly newRsaKey: NewRsaKey
  readonly configuration: ConfigurationCache
  /** Sends requests to addresses that users have configured. */
  readonly egress: Pick<Egress, 'post' | 'send'>
  /** Looks up DNS records. */
  readonly dns: TextRecords
  /** The events for webhook endpoints */
  readonly outbound: OutboundSource
  /** Returns the events of a stream as the log stores them, personal fields encrypted. */
  readonly storedStream: (stream: string) => Promise<readonly RecordedEvent[]>
  /**
   * Returns rows by table, as the events of one stream produce them up to a log position.
   * @param stream of a user, a group or an application
   */
  readonly pastRecord: (stream: string, upTo: string) => Promise<PastRecord>
  /** Describes the location of an address. */
  readonly locate: Locate
  /** Returns the country and the autonomous system of an address. */
  readonly whereabouts: (ip: string) => Whereabouts
  readonly mail: {
    /** Whether the service can send email. */
    readonly available: boolean
    /** Signalled when an email was queued, so that it is sent immediately. */
    readonly queued: WakeUp
    /** Recently sent emails; null outside development. */
    readonly outbox: Outbox | null
  }
  /** Whether the service runs for development (SVC_DEV=1): only then are sessions of `svc dev-session` accepted. */
  readonly development: boolean
  /** Writes a warning to the server's log: what an operator should know of, and nothing secret. */
  readonly warn: (fields: object, message: string) => void
  /** Counters for the metrics. */
  readonly tally: Tally
  /** The public address and OpenID issuer, without a trailing slash. */
  readonly publicUrl: string
  /** The program's version. */
  readonly version: string
  /** Returns the state of the event log and of its consumers. */
  readonly status: () => Promise<ServiceStatus>
}
