/** A part of the audit trail: who did what, when, from where, and what changed. */
import { useState } from 'react'
import type { Query } from './api.ts'
import { EntryProof } from './entry-proof.tsx'
import { Badge } from './kit/badge.tsx'
import { Breakable } from './kit/breakable.tsx'
import { Button } from './kit/button.tsx'
import { commonTexts } from './kit/common-texts.ts'
import { Dialog } from './kit/dialog.tsx'
import { RecordList, type Column, type Filter } from './kit/list.tsx'
import { CellText } from './kit/table-frame.tsx'
import { Time } from './kit/time.tsx'
import type { AuditRecord } from './records.ts'
import styles from './audit-table.module.css'
import { texts, useTexts } from './text.tsx'

const auditTexts = texts({
  en: {
    label: 'Audit trail',
    time: 'Time',
    what: 'What happened',
    who: 'Who',
    from: 'From',
    service: 'The service',
    denied: 'Denied',
    empty: 'No entries.',
    details: 'Details',
    action: 'Action',
    entry: 'Audit entry',
  },
  de: {
    label: 'Audit-Protokoll',
    time: 'Zeit',
    what: 'Was geschah',
    who: 'Wer',
    from: 'Von',
    service: 'Der Dienst',
    denied: 'Abgelehnt',
    empty: 'Keine Einträge.',
    details: 'Einzelheiten',
    action: 'Aktion',
    entry: 'Audit-Eintrag',
  },
})

export const AuditTable = ({
  path,
  fixed = {},
  filters = [],
  live = false,
}: {
  readonly path: string
  /** Query parameters that the reader cannot change, such as the target */
  readonly fixed?: Query
  readonly filters?: readonly Filter[]
  /** Whether the route can send new entries as an event stream */
  readonly live?: boolean
}) => {
  const text = useTexts(auditTexts)
  const common = useTexts(commonTexts)
  const [shown, setShown] = useState<AuditRecord | null>(null)
  const columns: readonly Column<AuditRecord>[] = [
    { name: 'time', label: text.time, cell: ({ time }) => <Time value={time} />, text: ({ time }) => time },
    {
      name: 'summary',
      label: text.what,
      cell: ({ summary, outcome }) => (
        <>
          <CellText>{summary}</CellText> {outcome === 'denied' && <Badge tone="bad">{text.denied}</Badge>}
        </>
      ),
      text: ({ summary }) => summary,
    },
    {
      name: 'actor',
      label: text.who,
      cell: ({ actorName, actorId }) => actorName ?? actorId ?? text.service,
      text: ({ actorName, actorId }) => actorName ?? actorId ?? '',
    },
    { name: 'ip', label: text.from, cell: ({ ip }) => ip ?? '', text: ({ ip }) => ip ?? '' },
    {
      name: 'action',
      label: text.action,
      cell: ({ action }) => (
        <code>
          <Breakable>{action}</Breakable>
        </code>
      ),
      text: ({ action }) => action,
    },
    {
      name: 'details',
      label: text.details,
      cell: (entry) => (
        <Button small look="quiet" onClick={() => setShown(entry)}>
          {text.details}
          <span className="visually-hidden"> {entry.summary}</span>
        </Button>
      ),
    },
  ]
  return (
    <>
      <RecordList<AuditRecord>
        path={path}
        fixed={fixed}
        live={live}
        label={text.label}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ summary }) => summary}
        filters={filters}
        empty={text.empty}
      />
      {shown !== null && (
        <Dialog title={shown.summary} onClose={() => setShown(null)}>
          <pre className={styles['json']} tabIndex={0} aria-label={text.entry}>
            {JSON.stringify(shown, null, 2)}
          </pre>
          <EntryProof key={shown.id} entryId={shown.id} />
          <div className="actions">
            <Button look="primary" onClick={() => setShown(null)}>
              {common.close}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
