import { useState } from 'react'
import { useLocation } from 'wouter'
import { importSources, type ImportSource } from '../../../../../../domain/import/records.ts'
import { useRecord, withQuery } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Checkbox, FileField, Select } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ImportRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { importStatusNames, importTexts, sourceHints, sourceNames } from './imports-texts.ts'

const POLL_MS = 1000

const tones: Readonly<Record<ImportRecord['status'], Tone>> = {
  checking: 'neutral',
  ready: 'warn',
  running: 'neutral',
  done: 'good',
  failed: 'bad',
}

export const isWorkedOn = ({ status }: Pick<ImportRecord, 'status'>): boolean =>
  status === 'checking' || status === 'running'

export const ImportBadge = ({ status }: Pick<ImportRecord, 'status'>) => {
  const statuses = useTexts(importStatusNames)
  return <Badge tone={tones[status]}>{statuses[status]}</Badge>
}

export const ImportsPage = () => {
  const text = useTexts(importTexts)
  const { at } = useMoment()
  const mayImport = useMay('user_admin') && at === null
  const [uploading, setUploading] = useState(false)
  const imports = useRecord<readonly ImportRecord[]>('/imports', false, (all) =>
    all.some(isWorkedOn) ? POLL_MS : 0,
  )
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayImport && (
            <Button look="primary" onClick={() => setUploading(true)}>
              {text.upload}
            </Button>
          )
        }
      />
      <Loaded query={imports}>
        {(all) =>
          all.length === 0 ? <p>{text.none}</p> : all.map((each) => <OneImport key={each.id} item={each} />)
        }
      </Loaded>
      {uploading && <Upload onClose={() => setUploading(false)} />}
    </>
  )
}

const OneImport = ({ item }: { readonly item: ImportRecord }) => {
  const text = useTexts(importTexts)
  const names = useTexts(sourceNames)
  const { locale } = useReader()
  const { id, source, status, requestedAt, lines, actions } = item
  return (
    <Section title={names[source]}>
      <Facts
        facts={[
          [text.status, <ImportBadge key="status" status={status} />],
          [text.requested, <Time key="requested" value={requestedAt} />],
          [
            text.lines,
            <PageLink key="lines" to={`/console/import/${id}`}>
              {lines.toLocaleString(locale)}
            </PageLink>,
          ],
          [text.problems, actions.error.toLocaleString(locale)],
        ]}
      />
    </Section>
  )
}

const types: Readonly<Record<ImportSource, string>> = {
  users_csv: 'text/csv',
  groups_csv: 'text/csv',
  keycloak: 'application/json',
  okta: 'application/json',
  auth0: 'application/x-ndjson',
}

const Upload = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(importTexts)
  const [names, hints] = [useTexts(sourceNames), useTexts(sourceHints)]
  const [, navigate] = useLocation()
  const [source, setSource] = useState<ImportSource>('users_csv')
  const [file, setFile] = useState<File | null>(null)
  const [updates, setUpdates] = useState(true)
  return (
    <CommandDialog<ImportRecord>
      title={text.upload}
      confirm={text.upload}
      names={['source', 'file', 'updates']}
      check={() => (file === null ? { field: 'file', message: text.noFile } : null)}
      command={() => ({
        method: 'POST',
        path: withQuery('/imports', { source, updates: String(updates) }),
        // Browsers guess the type of a file from what is installed.
        body:
          file === null
            ? undefined
            : new File([file], file.name, { type: types[source], lastModified: file.lastModified }),
      })}
      onClose={onClose}
      onDone={({ id }) => navigate(`/console/import/${id}`)}
      fields={(errorOf) => (
        <>
          <Select
            name="source"
            label={text.source}
            value={source}
            hint={hints[source]}
            options={importSources.map((value) => ({ value, label: names[value] }))}
            onChange={(value) => setSource(value as ImportSource)}
          />
          <FileField
            name="file"
            label={text.file}
            hint={text.fileHint}
            accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json"
            error={errorOf('file')}
            onChange={setFile}
          />
          <Checkbox label={text.updates} hint={text.updatesHint} checked={updates} onChange={setUpdates} />
        </>
      )}
    />
  )
}
