import { useState } from 'react'
import {
  exportFormats,
  exportKinds,
  type ExportFormat,
  type ExportKind,
} from '../../../../../../domain/export/events.ts'
import { useCommand, useRecord } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import { saveFrom } from '../kit/csv.ts'
import { Checkbox, FieldGroup, Select, TextField } from '../kit/field.tsx'
import { Problem } from '../kit/problem.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { inputOf, momentOf } from '../moment-input.ts'
import { useMoment } from '../moment.tsx'
import type { ExportDownloadRecord, ExportRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { exportTexts, formatNames, kindHints, kindNames, statusNames } from './exports-texts.ts'

const POLL_MS = 1000

const tones: Readonly<Record<ExportRecord['status'], Tone>> = {
  queued: 'neutral',
  running: 'neutral',
  ready: 'good',
  failed: 'bad',
}

const isUnfinished = ({ status }: ExportRecord): boolean => status === 'queued' || status === 'running'

export const ExportsPage = () => {
  const text = useTexts(exportTexts)
  const mayExport = useMay('auditor')
  const exports = useRecord<readonly ExportRecord[]>('/export', false, (all) =>
    all.some(isUnfinished) ? POLL_MS : 0,
  )
  const [asking, setAsking] = useState(false)
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayExport && (
            <Button look="primary" onClick={() => setAsking(true)}>
              {text.request}
            </Button>
          )
        }
      />
      <Loaded query={exports}>
        {(all) =>
          all.length === 0 ? (
            <p>{text.none}</p>
          ) : (
            all.map((each) => <OneExport key={each.id} item={each} mayExport={mayExport} />)
          )
        }
      </Loaded>
      {asking && <Request onClose={() => setAsking(false)} />}
    </>
  )
}

const OneExport = ({ item, mayExport }: { readonly item: ExportRecord; readonly mayExport: boolean }) => {
  const text = useTexts(exportTexts)
  const [names, formats, statuses] = [useTexts(kindNames), useTexts(formatNames), useTexts(statusNames)]
  const { locale } = useReader()
  const { mutate, error, isPending } = useCommand<ExportDownloadRecord>()
  const [deleting, setDeleting] = useState(false)
  const { id, status, kinds, format, at, requestedAt, expiresAt, rows, total, downloadable } = item
  return (
    <Section
      title={kinds.map((kind) => names[kind]).join(', ')}
      actions={
        mayExport && (
          <>
            {downloadable && (
              <Button
                small
                look="primary"
                busy={isPending}
                onClick={() =>
                  mutate(
                    { method: 'POST', path: `/export/${id}/download`, body: {} },
                    { onSuccess: ({ downloadUrl }) => saveFrom(downloadUrl) },
                  )
                }
              >
                {text.download}
              </Button>
            )}
            <Button small look="danger" onClick={() => setDeleting(true)}>
              {isUnfinished(item) ? text.cancel : text.remove}
            </Button>
          </>
        )
      }
    >
      {error !== null && <Problem error={error} />}
      <Facts
        facts={[
          [
            text.status,
            <span key="status" aria-live="polite">
              <Badge tone={tones[status]}>{statuses[status]}</Badge>{' '}
              {isUnfinished(item) && text.progress(rows.toLocaleString(locale), total.toLocaleString(locale))}
              {status === 'ready' && text.written(rows.toLocaleString(locale))}
            </span>,
          ],
          [text.format, formats[format]],
          [text.state, at === null ? null : <Time value={at} />],
          [text.requested, <Time key="requested" value={requestedAt} />],
          [text.downloaded, item.downloadedAt === null ? null : <Time value={item.downloadedAt} />],
          [text.expires, <Time key="expires" value={expiresAt} />],
          [text.sha256, item.sha256 === null ? null : <Copy value={item.sha256} label={text.sha256} />],
        ]}
      />
      {deleting && (
        <CommandDialog
          title={text.removeTitle}
          intro={<p>{text.removeEffect}</p>}
          confirm={isUnfinished(item) ? text.cancel : text.remove}
          dangerous
          done={text.removed}
          command={() => ({ method: 'DELETE', path: `/export/${id}` })}
          onClose={() => setDeleting(false)}
        />
      )}
    </Section>
  )
}

const usual: readonly ExportKind[] = ['users', 'groups', 'memberships', 'applications', 'assignments', 'log']

const Request = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(exportTexts)
  const [names, hints, formats] = [useTexts(kindNames), useTexts(kindHints), useTexts(formatNames)]
  const { at: shown } = useMoment()
  const [kinds, setKinds] = useState<ReadonlySet<ExportKind>>(new Set(usual))
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [at, setAt] = useState(shown === null ? '' : inputOf(shown))
  return (
    <CommandDialog
      title={text.request}
      intro={<p>{text.requestHint}</p>}
      confirm={text.request}
      done={text.requestDone}
      names={['kinds', 'format', 'at']}
      check={() => (kinds.size === 0 ? { field: 'kinds', message: text.noKind } : null)}
      command={() => ({
        method: 'POST',
        path: '/export',
        body: { kinds: [...kinds], format, ...(at === '' ? {} : { at: momentOf(at) }) },
      })}
      onClose={onClose}
      fields={(errorOf) => (
        <>
          <FieldGroup label={text.contents}>
            {exportKinds.map((kind) => (
              <Checkbox
                key={kind}
                label={names[kind]}
                hint={hints[kind]}
                checked={kinds.has(kind)}
                onChange={(checked) => {
                  const others = [...kinds].filter((each) => each !== kind)
                  setKinds(new Set(checked ? [...others, kind] : others))
                }}
              />
            ))}
            {errorOf('kinds') !== null && <p className="error">{errorOf('kinds')}</p>}
          </FieldGroup>
          <Select
            name="format"
            label={text.format}
            value={format}
            options={exportFormats.map((value) => ({ value, label: formats[value] }))}
            onChange={(value) => setFormat(value as ExportFormat)}
          />
          <TextField
            name="at"
            label={text.at}
            hint={text.atHint}
            type="datetime-local"
            value={at}
            error={errorOf('at')}
            onChange={setAt}
          />
        </>
      )}
    />
  )
}
