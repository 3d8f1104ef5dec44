import { useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Copy } from '../kit/copy.tsx'
import styles from '../kit/kit.module.css'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { TableFrame } from '../kit/table-frame.tsx'
import { Time } from '../kit/time.tsx'
import type { CheckpointRecord, OperationsRecord } from '../records.ts'
import { texts, useReader, useTexts } from '../text.tsx'

const operationsTexts = texts({
  en: {
    title: 'Operations',
    lead: 'The event log, and the consumers that turn its events into what you see and what is sent.',
    versions: 'This instance',
    version: 'Version',
    node: 'Node.js',
    engine: 'Event log',
    head: 'End of the log',
    otherVersions: 'Other versions that are running',
    consumers: 'Consumers',
    consumersHint: 'One instance runs each consumer. The others take over when it stops.',
    name: 'Consumer',
    purpose: 'What it does',
    state: 'State',
    position: 'Position',
    current: 'Up to date',
    behind: 'Catching up',
    waiting: 'Runs on another instance',
    stopped: 'Stopped',
    stoppedAt: 'It cannot process this event. The log of the instance says why.',
    checkpoint: 'Checkpoint of the audit trail',
    checkpointHint:
      'Keep copies outside of this service: a later checkpoint must prove that it only added to this one.',
    size: 'Events',
    until: 'Last event',
    rootHash: 'Root hash',
    note: 'Signed note',
  },
  de: {
    title: 'Betrieb',
    lead: 'Das Ereignisprotokoll und die Verarbeiter, die aus seinen Ereignissen machen, was Sie sehen und was gesendet wird.',
    versions: 'Diese Instanz',
    version: 'Version',
    node: 'Node.js',
    engine: 'Ereignisprotokoll',
    head: 'Ende des Protokolls',
    otherVersions: 'Andere Versionen, die laufen',
    consumers: 'Verarbeiter',
    consumersHint: 'Jeden Verarbeiter führt eine Instanz aus. Endet sie, übernimmt eine andere.',
    name: 'Verarbeiter',
    purpose: 'Aufgabe',
    state: 'Zustand',
    position: 'Position',
    current: 'Auf dem neuesten Stand',
    behind: 'Holt auf',
    waiting: 'Läuft auf einer anderen Instanz',
    stopped: 'Angehalten',
    stoppedAt: 'Er kann dieses Ereignis nicht verarbeiten. Der Grund steht in der Logausgabe der Instanz.',
    checkpoint: 'Prüfpunkt des Audit-Protokolls',
    checkpointHint:
      'Bewahren Sie Kopien außerhalb dieses Dienstes auf: Ein späterer Prüfpunkt muss beweisen, dass er diesen nur ergänzt.',
    size: 'Ereignisse',
    until: 'Letztes Ereignis',
    rootHash: 'Wurzelhash',
    note: 'Signierte Notiz',
  },
})

const purposeTexts = texts<Readonly<Record<string, string>>>({
  en: {
    core: 'Read models of users, groups, applications and sessions',
    audit: 'Audit trail and sign-ins',
    'rule-memberships': 'Members of groups with a rule',
    'package-delivery': 'Access of approved requests and of access packages',
    'lifecycle-triggers': 'Runs of lifecycle rules',
    'risk-events': 'Risk events',
    'logout-notices': 'Back-channel logout of applications',
    'shared-signals': 'Shared signals to receivers',
    mail: 'Emails',
    'provisioning-marks': 'Users whose provisioning has to be updated',
    'audit-tree': 'Merkle tree and checkpoints of the audit trail',
  },
  de: {
    core: 'Lesemodelle der Benutzer, Gruppen, Anwendungen und Sitzungen',
    audit: 'Audit-Protokoll und Anmeldungen',
    'rule-memberships': 'Mitglieder von Gruppen mit Regel',
    'package-delivery': 'Zugriff aus genehmigten Anfragen und aus Zugriffspaketen',
    'lifecycle-triggers': 'Läufe der Lebenszyklusregeln',
    'risk-events': 'Risikoereignisse',
    'logout-notices': 'Back-Channel-Logout von Anwendungen',
    'shared-signals': 'Sicherheitssignale an Empfänger',
    mail: 'E-Mails',
    'provisioning-marks': 'Benutzer, deren Provisionierung zu aktualisieren ist',
    'audit-tree': 'Merkle-Baum und Prüfpunkte des Audit-Protokolls',
  },
})

type Consumer = OperationsRecord['consumers'][number]

const EVERY_MS = 5_000

export const OperationsPage = () => {
  const text = useTexts(operationsTexts)
  const { locale } = useReader()
  const operations = useRecord<OperationsRecord>('/operations', false, () => EVERY_MS)
  const checkpoint = useRecord<CheckpointRecord>('/audit/checkpoint')
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <Loaded query={operations}>
        {({ version, nodeVersion, eventLog, consumers, otherVersions }) => (
          <>
            <Section title={text.consumers} hint={text.consumersHint}>
              <ConsumerTable consumers={consumers} />
            </Section>
            <Section title={text.versions}>
              <Facts
                facts={[
                  [text.version, version],
                  [text.node, nodeVersion],
                  [text.engine, eventLog.engine === 'postgres' ? 'PostgreSQL' : 'EventStoreDB'],
                  [text.head, <code key="head">{eventLog.head}</code>],
                  [text.otherVersions, otherVersions.length === 0 ? null : otherVersions.join(', ')],
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
      <Section title={text.checkpoint} hint={text.checkpointHint}>
        <Loaded query={checkpoint}>
          {({ size, time, rootHash, note }) => (
            <div className="stack">
              <Facts
                facts={[
                  [text.size, new Intl.NumberFormat(locale).format(size)],
                  [text.until, time === null ? null : <Time value={time} />],
                  [text.rootHash, <code key="root">{rootHash}</code>],
                ]}
              />
              <Copy label={text.note} value={note} />
            </div>
          )}
        </Loaded>
      </Section>
    </>
  )
}

const ConsumerTable = ({ consumers }: { readonly consumers: readonly Consumer[] }) => {
  const text = useTexts(operationsTexts)
  const purposes = useTexts(purposeTexts)
  return (
    <TableFrame>
      <table className={styles['table']} aria-label={text.consumers}>
        <thead>
          <tr>
            {[text.name, text.purpose, text.state, text.position].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {consumers.map((consumer) => (
            <tr key={consumer.name}>
              <td data-label={text.name}>{consumer.name}</td>
              <td data-label={text.purpose}>{purposes[consumer.name] ?? ''}</td>
              <td data-label={text.state}>
                <ConsumerBadge consumer={consumer} />
              </td>
              <td data-label={text.position}>
                <code>{consumer.position}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}

const ConsumerBadge = ({ consumer: { state, caughtUp, failedEventId } }: { readonly consumer: Consumer }) => {
  const text = useTexts(operationsTexts)
  if (state === 'stopped')
    return (
      <div>
        <Badge tone="bad">{text.stopped}</Badge> <code>{failedEventId}</code>
        <p className="hint">{text.stoppedAt}</p>
      </div>
    )
  if (state === 'waiting') return <Badge tone="neutral">{text.waiting}</Badge>
  return caughtUp === true ? (
    <Badge tone="good">{text.current}</Badge>
  ) : (
    <Badge tone="warn">{text.behind}</Badge>
  )
}
