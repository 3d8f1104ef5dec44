import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { importActions } from '../../../../../../domain/import/plan.ts'
import { useRecord } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Checkbox } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ImportLineRecord, ImportRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { actionNames, importTexts, lineKindNames, sourceNames } from './imports-texts.ts'
import { ImportBadge, isWorkedOn } from './imports.tsx'

const POLL_MS = 1000

export const ImportPage = ({ id }: { readonly id: string }) => {
  const record = useRecord<ImportRecord>(`/imports/${id}`, false, (item) => (isWorkedOn(item) ? POLL_MS : 0))
  return <LoadedPage query={record}>{(item) => <OneImport item={item} />}</LoadedPage>
}

const changesIn = ({ actions }: ImportRecord): number => actions.create + actions.update + actions.add

const OneImport = ({ item }: { readonly item: ImportRecord }) => {
  const text = useTexts(importTexts)
  const [names, actions] = [useTexts(sourceNames), useTexts(actionNames)]
  const { locale } = useReader()
  const { at } = useMoment()
  const mayImport = useMay('user_admin') && at === null
  const [, navigate] = useLocation()
  const [dialog, setDialog] = useState<'start' | 'remove' | null>(null)
  const close = (): void => setDialog(null)
  const { id, source, status, lines, reached, requestedAt, finishedAt, expiresAt, ignored, correlationId } =
    item
  const number = (value: number): string => value.toLocaleString(locale)
  return (
    <>
      <PageHead
        title={names[source]}
        badge={<ImportBadge status={status} />}
        actions={
          mayImport && (
            <>
              {status === 'ready' && changesIn(item) > 0 && (
                <Button small look="primary" onClick={() => setDialog('start')}>
                  {text.start}
                </Button>
              )}
              <Button small look="danger" onClick={() => setDialog('remove')}>
                {text.remove}
              </Button>
            </>
          )
        }
      />
      <p role="status">
        {status === 'checking' && text.checked(number(reached), number(lines))}
        {(status === 'running' || status === 'done' || status === 'failed') &&
          text.made(number(item.done), number(item.failed))}
      </p>
      {status === 'running' && (
        <progress max={changesIn(item)} value={item.done + item.failed} aria-label={text.changes} />
      )}
      <Section title={text.changes}>
        <Facts
          facts={[
            ...importActions.map((action) => [actions[action], number(item.actions[action])] as const),
            [text.ignored, ignored.length === 0 ? null : ignored.join(', ')],
            [text.requested, <Time key="requested" value={requestedAt} />],
            [text.finished, finishedAt === null ? null : <Time value={finishedAt} />],
            [text.expires, <Time key="expires" value={expiresAt} />],
          ]}
        />
        {correlationId !== null && (
          <p>
            <PageLink to={`/console/audit?correlationId=${encodeURIComponent(correlationId)}`}>
              {text.history}
            </PageLink>
          </p>
        )}
      </Section>
      {status !== 'checking' && <Lines item={item} />}
      {dialog === 'start' && <Start item={item} onClose={close} />}
      {dialog === 'remove' && (
        <CommandDialog
          title={text.removeTitle}
          intro={<p>{status === 'running' ? text.removeRunning : text.removeEffect}</p>}
          confirm={text.remove}
          dangerous
          done={text.removed}
          command={() => ({ method: 'DELETE', path: `/imports/${id}` })}
          onClose={close}
          onDone={() => navigate('/console/import')}
        />
      )}
    </>
  )
}

const Start = ({ item, onClose }: { readonly item: ImportRecord; readonly onClose: () => void }) => {
  const text = useTexts(importTexts)
  const { locale } = useReader()
  const [invite, setInvite] = useState(false)
  const { id, actions } = item
  return (
    <CommandDialog
      title={text.start}
      intro={
        <>
          <p>{text.startIntro(changesIn(item).toLocaleString(locale))}</p>
          {actions.error > 0 && <p>{text.startProblems(actions.error.toLocaleString(locale))}</p>}
        </>
      }
      confirm={text.start}
      done={text.started}
      command={() => ({ method: 'POST', path: `/imports/${id}/start`, body: { invite } })}
      onClose={onClose}
      fields={() => (
        <Checkbox label={text.invite} hint={text.inviteHint} checked={invite} onChange={setInvite} />
      )}
    />
  )
}

const tones: Readonly<Record<keyof ImportRecord['actions'], Tone>> = {
  create: 'good',
  update: 'warn',
  add: 'good',
  none: 'neutral',
  skip: 'neutral',
  error: 'bad',
}

const shown = (value: unknown): string =>
  value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)

const changesOf = ({ changes, message }: ImportLineRecord): string =>
  [
    ...(message === null ? [] : [message]),
    ...changes.map(({ field, from, to }) =>
      from === null ? `${field}: ${shown(to)}` : `${field}: ${shown(from)} → ${shown(to)}`,
    ),
  ].join('; ')

/** The lines of the file: what would change, or what came of it. */
const Lines = ({ item }: { readonly item: ImportRecord }) => {
  const text = useTexts(importTexts)
  const [actions, kinds] = [useTexts(actionNames), useTexts(lineKindNames)]
  const client = useQueryClient()
  const { id, status } = item
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['list', `/imports/${id}/lines`] })
  }, [client, id, status])
  const results = { done: text.done, failed: text.failed }
  const columns: readonly Column<ImportLineRecord>[] = [
    { name: 'line', label: text.line, cell: ({ line }) => line, text: ({ line }) => String(line) },
    {
      name: 'what',
      label: text.what,
      cell: ({ kind, label, other }) => `${kinds[kind]}: ${label}${other === null ? '' : ` → ${other}`}`,
      text: ({ kind, label, other }) => `${kind}: ${label}${other === null ? '' : ` → ${other}`}`,
    },
    {
      name: 'action',
      label: text.action,
      cell: ({ action }) => action !== null && <Badge tone={tones[action]}>{actions[action]}</Badge>,
      text: ({ action }) => action ?? '',
    },
    { name: 'change', label: text.change, cell: changesOf, text: changesOf },
    {
      name: 'result',
      label: text.result,
      cell: ({ result }) =>
        result !== null && <Badge tone={result === 'done' ? 'good' : 'bad'}>{results[result]}</Badge>,
      text: ({ result }) => result ?? '',
    },
  ]
  return (
    <RecordList<ImportLineRecord>
      path={`/imports/${id}/lines`}
      label={text.lines}
      columns={columns}
      keyOf={({ number }) => String(number)}
      nameOf={({ label }) => label}
      empty={text.empty}
      filters={[
        {
          name: 'action',
          label: text.action,
          options: importActions.map((value) => ({ value, label: actions[value] })),
        },
        {
          name: 'result',
          label: text.result,
          options: Object.entries(results).map(([value, label]) => ({ value, label })),
        },
      ]}
    />
  )
}
