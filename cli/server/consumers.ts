/** Every consumer of the log: its name, its event types, its effect, and its pauses. */
import type pg from 'pg'
import {
  LOGOUT_NOTICES,
  logoutNoticeTypes,
  noteLogouts,
} from '../../adapters/application/reactions/logout-notices.ts'
import {
  deliverPackages,
  PACKAGE_DELIVERY,
  packageDeliveryTypes,
} from '../../adapters/application/reactions/package-delivery.ts'
import {
  LIFECYCLE_TRIGGERS,
  lifecycleTriggerEvents,
  lifecycleTriggers,
} from '../../adapters/application/reactions/lifecycle-triggers.ts'
import {
  changesRisks,
  RISK_EVENTS,
  recordRisks,
  riskEventTypes,
} from '../../adapters/application/reactions/risk-events.ts'
import {
  queueSignals,
  SHARED_SIGNALS,
  sharedSignalTypes,
} from '../../adapters/application/reactions/shared-signals.ts'
import {
  RULE_MEMBERSHIPS,
  ruleMemberships,
  ruleMembershipTypes,
} from '../../adapters/application/reactions/rule-memberships.ts'
import type { Services } from '../../adapters/application/services/services.ts'
import { auditSigner } from '../../adapters/engines/audit/signer.ts'
import { AUDIT_TREE, growTree } from '../../adapters/engines/audit/tree.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import { openedSource, storedSource, type Serializer } from '../../adapters/engines/event-log/serializer.ts'
import type { CheckpointWatch } from '../../adapters/engines/postgres/checkpoint-watch.ts'
import { MAIL, mailTypes, queueMail } from '../../adapters/outbound/mail/subscriber.ts'
import {
  markProvisioning,
  PROVISIONING_MARKS,
  provisioningMarkTypes,
} from '../../adapters/outbound/provisioning/subscriber.ts'
import { auditTables } from '../../projections/audit.ts'
import { AUDIT, CORE } from '../../projections/checkpoint.ts'
import { coreTables } from '../../projections/core.ts'
import type { Consumer } from '../../projections/rebuild.ts'
import { startRunner, type Runner, type RunnerOptions } from '../../projections/runner.ts'
import { concernsTables, type Table } from '../../projections/table.ts'
import type { Log } from './log.ts'

interface DeclaredConsumer extends Pick<
  RunnerOptions,
  'name' | 'source' | 'checkpoints' | 'tables' | 'react' | 'within' | 'concerns'
> {
  /** Milliseconds to collect events at the end of the log while no command in this process waits for the consumer. */
  readonly restMs: number
}

/** Requests wait for these consumers. */
const SHORT_REST_MS = 50
const LONG_REST_MS = 200

/**
 * Returns the consumers that fill the read models, each at its own pace; the core first.
 * @param wanted limits them to some tables and to the events that those need
 */
export const readModelConsumers = (
  eventLog: EventLog,
  serializer: Serializer,
  wanted: (table: string) => boolean = () => true,
): readonly [Consumer, ...Consumer[]] => {
  const filling = (name: string, all: readonly Table[], withLeaf: boolean): Consumer => {
    const tables = all.filter((table) => wanted(table.name))
    const wants = concernsTables(tables)
    return {
      name,
      source: openedSource(eventLog, serializer, { wants, withOrigin: false, withLeaf }),
      tables,
    }
  }
  return [filling(CORE, coreTables, false), filling(AUDIT, auditTables, true)]
}

/** The dependencies of consumers. */
interface ConsumerDeps extends Pick<Services, 'handle' | 'locks' | 'clock' | 'vault' | 'mail' | 'publicUrl'> {
  readonly eventLog: EventLog
  readonly serializer: Serializer
  readonly watch: CheckpointWatch
  /** For read models and their checkpoints */
  readonly pool: pg.Pool
  /** For tables that survive a rebuild */
  readonly workPool: pg.Pool
}

const declaredConsumers = (deps: ConsumerDeps): readonly DeclaredConsumer[] => {
  const { eventLog, serializer, watch, pool, workPool, handle, locks, clock, vault, mail, publicUrl } = deps
  const { waitFor } = watch
  const [core, ...besides] = readModelConsumers(eventLog, serializer)
  const subscriber = (
    name: string,
    wants: (type: string) => boolean,
    react: NonNullable<RunnerOptions['react']>,
    restMs: number,
    concerns: NonNullable<RunnerOptions['concerns']> = ({ type }) => wants(type),
  ): DeclaredConsumer => ({
    name,
    source: openedSource(eventLog, serializer, { wants, withOrigin: false }),
    checkpoints: 'work.checkpoint',
    tables: [],
    react,
    concerns,
    restMs,
  })
  return [
    { ...core, checkpoints: 'checkpoint', restMs: SHORT_REST_MS },
    ...besides.map((consumer): DeclaredConsumer => ({
      ...consumer,
      checkpoints: 'checkpoint',
      concerns: ({ type }) => concernsTables(consumer.tables)(type),
      restMs: LONG_REST_MS,
    })),
    subscriber(
      RULE_MEMBERSHIPS,
      ruleMembershipTypes,
      ruleMemberships({ pool, handle, waitFor, clock }).react,
      SHORT_REST_MS,
    ),
    subscriber(
      PACKAGE_DELIVERY,
      packageDeliveryTypes,
      deliverPackages({ pool, handle, locks, waitFor, clock }),
      SHORT_REST_MS,
    ),
    subscriber(
      LIFECYCLE_TRIGGERS,
      lifecycleTriggerEvents,
      lifecycleTriggers({ pool, handle, clock, eventLog, serializer, waitFor }),
      SHORT_REST_MS,
    ),
    subscriber(
      RISK_EVENTS,
      riskEventTypes,
      recordRisks({ pool, handle, waitFor, clock }),
      SHORT_REST_MS,
      // Most sign-ins show no risk.
      changesRisks,
    ),
    subscriber(LOGOUT_NOTICES, logoutNoticeTypes, noteLogouts({ pool, waitFor, clock }), LONG_REST_MS),
    subscriber(
      SHARED_SIGNALS,
      sharedSignalTypes,
      queueSignals({ pool, waitFor, clock, publicUrl }),
      SHORT_REST_MS,
    ),
    subscriber(MAIL, mailTypes, queueMail({ vault, mail, clock }, pool, waitFor), LONG_REST_MS),
    subscriber(PROVISIONING_MARKS, provisioningMarkTypes, markProvisioning({ pool, waitFor }), LONG_REST_MS),
    {
      name: AUDIT_TREE,
      source: storedSource(eventLog),
      checkpoints: 'work.checkpoint',
      tables: [],
      within: growTree(auditSigner({ pool: workPool, vault, publicUrl })),
      restMs: LONG_REST_MS,
    },
  ]
}

/** Starts all consumers. */
export const startConsumers = (deps: ConsumerDeps, log: Log): readonly Runner[] => {
  const { pool, watch } = deps
  return declaredConsumers(deps).map(({ restMs, ...consumer }) =>
    startRunner({
      ...consumer,
      pool,
      log,
      committed: (position) => {
        watch.advanced(consumer.name, position)
      },
      rest: () => watch.wanted(consumer.name, restMs),
    }),
  )
}
