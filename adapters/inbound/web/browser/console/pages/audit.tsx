import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import type { CheckpointRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'

const auditPageTexts = texts({
  en: {
    title: 'Audit trail',
    lead: 'Everything that happened, newest first. Entries cannot be changed: each is in a signed tree of hashes.',
    action: 'Action',
    search: 'Search names',
    target: 'Kind of record',
    checkpoint: 'Signed checkpoint',
    checkpointHint: 'Keep it outside: it proves later that nothing was changed or removed since.',
    size: 'Entries',
    root: 'Root hash',
  },
  de: {
    title: 'Audit-Protokoll',
    lead: 'Alles, was geschah, das Neueste zuerst. Einträge lassen sich nicht ändern: Jeder ist Teil eines signierten Hash-Baums.',
    action: 'Aktion',
    search: 'Namen suchen',
    target: 'Art des Eintrags',
    checkpoint: 'Signierter Prüfpunkt',
    checkpointHint:
      'Bewahren Sie ihn anderswo auf: Er beweist später, dass seither nichts geändert oder entfernt wurde.',
    size: 'Einträge',
    root: 'Wurzel-Hash',
  },
})

export const AuditPage = () => {
  const text = useTexts(auditPageTexts)
  const checkpoint = useRecord<CheckpointRecord>('/audit/checkpoint')
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <AuditTable
        path="/audit"
        live
        filters={[
          { name: 'q', label: text.search },
          { name: 'action', label: text.action },
          { name: 'targetType', label: text.target },
        ]}
      />
      <Section title={text.checkpoint} hint={text.checkpointHint}>
        <Loaded query={checkpoint}>
          {({ size, rootHash }) => (
            <Facts
              facts={[
                [text.size, size],
                [text.root, <code key="root">{rootHash}</code>],
              ]}
            />
          )}
        </Loaded>
      </Section>
    </>
  )
}
