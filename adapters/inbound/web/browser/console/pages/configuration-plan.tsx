/** A plan of `svc plan --out` for review: the file stays in the browser, and the service says whether it is genuine. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  readPlan,
  signedText,
  type PlanFile,
  type PlannedChanges,
  type SignedStatement,
} from '../../../../../../domain/configuration-plan/plan.ts'
import { send } from '../../lib/api.ts'
import { useList } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Badge, type Tone } from '../kit/badge.tsx'
import { FileField } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { PageLink } from '../kit/link.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { TableFrame } from '../kit/table-frame.tsx'
import { Time } from '../kit/time.tsx'
import type { AuditRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { planTexts } from './configuration-plan-texts.ts'
import own from './configuration-plan.module.css'

export const ConfigurationPlanPage = () => {
  const text = useTexts(planTexts)
  const [file, setFile] = useState<PlanFile | null>(null)
  const [problem, setProblem] = useState<string>()
  const open = async (chosen: File | null): Promise<void> => {
    const plan = chosen === null ? null : readPlan(await chosen.text())
    const isElsewhere = plan !== null && plan.plan.server !== location.origin
    setFile(isElsewhere ? null : plan)
    if (isElsewhere) setProblem(text.otherServer(plan.plan.server))
    else setProblem(chosen !== null && plan === null ? text.notPlan : undefined)
  }
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <FileField
        name="plan"
        label={text.file}
        hint={text.fileHint}
        accept=".json,application/json"
        readsAtOnce
        error={problem}
        onChange={(chosen) => void open(chosen)}
      />
      {file !== null && <OnePlan key={file.statement.note} file={file} />}
    </>
  )
}

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

type Verified = Omit<SignedStatement, 'note'>

const OnePlan = ({ file: { plan, statement } }: { readonly file: PlanFile }) => {
  const text = useTexts(planTexts)
  const { note } = statement
  const verified = useQuery({
    queryKey: ['plan', note, signedText(plan)],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const digest = hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(signedText(plan))))
      const body = { digest, note }
      return (await send<Verified>('POST', '/configuration/plans/verify', { body, signal })).body
    },
  })
  return (
    <Loaded query={verified}>
      {({ planId, plannedBy, plannedAt, position }) => (
        <>
          <p role="status">
            <Badge tone="good">{text.genuine}</Badge>
          </p>
          <Facts
            facts={[
              [text.plannedBy, plannedBy.name],
              [text.plannedAt, <Time key="planned" value={plannedAt} />],
              [text.position, position],
              [text.planId, <code key="plan">{planId}</code>],
            ]}
          />
          <Changes plan={plan} plannedAt={plannedAt} />
          <Section title={text.applied}>
            <AuditTable path="/audit" fixed={{ correlationId: planId }} />
          </Section>
        </>
      )}
    </Loaded>
  )
}

type Step = PlannedChanges['steps'][number]

const nameOf = ({ kind, key }: Pick<Step, 'kind' | 'key'>): string => (key === '' ? kind : `${kind}/${key}`)

/** The target of the audit entries of what exists once. */
const ORGANIZATION = 'organization'

const targetOf = (step: Step): string | null => {
  if (step.action === 'create') return null
  return step.id === '' ? ORGANIZATION : step.id
}

const Changes = ({ plan, plannedAt }: { readonly plan: PlannedChanges; readonly plannedAt: string }) => {
  const text = useTexts(planTexts)
  const { steps, unmanaged } = plan
  const { data } = useList<AuditRecord>('/audit', { from: plannedAt, limit: '200' })
  const changed = new Set(data?.items.map(({ targetId }) => targetId))
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length
  return (
    <Section
      title={text.changes}
      hint={steps.length === 0 ? text.none : text.count(count('create'), count('update'), count('delete'))}
    >
      {steps.map((step) => (
        <OneStep
          key={`${step.action} ${nameOf(step)}`}
          step={step}
          isChanged={changed.has(targetOf(step) ?? '')}
        />
      ))}
      <Facts facts={[[text.unmanaged, unmanaged.map(nameOf).join(', ')]]} />
    </Section>
  )
}

const tones: Readonly<Record<Step['action'], Tone>> = { create: 'good', update: 'neutral', delete: 'bad' }

/** Where the console shows records of a kind, if not below its name. */
const pagesOf: Readonly<Record<string, string>> = {
  'lifecycle-rules': 'lifecycle',
  settings: 'settings',
  branding: 'settings',
}

const Name = ({ step }: { readonly step: Step }) => {
  if (step.action === 'create') return <>{nameOf(step)}</>
  const page = `/console/${pagesOf[step.kind] ?? step.kind}`
  return (
    <PageLink to={step.id === '' ? page : `${page}/${encodeURIComponent(step.id)}`}>{nameOf(step)}</PageLink>
  )
}

const OneStep = ({ step, isChanged }: { readonly step: Step; readonly isChanged: boolean }) => {
  const text = useTexts(planTexts)
  const { action, lastChange } = step
  return (
    <article className={own['step']} aria-label={`${text[action]} ${nameOf(step)}`}>
      <h3>
        <Badge tone={tones[action]}>{text[action]}</Badge> <Name step={step} />{' '}
        {isChanged && <Badge tone="warn">{text.changedSince}</Badge>}
      </h3>
      {lastChange !== null && (
        <p className="hint">
          {(lastChange.applied ? text.lastApplied : text.lastChange)(
            lastChange.by ?? text.service,
            lastChange.summary,
          )}{' '}
          (
          <Time value={lastChange.time} />)
        </p>
      )}
      {step.action === 'create' && <Values step={step} rows={Object.entries(step.item)} />}
      {step.action === 'update' && (
        <Values step={step} rows={step.changes.map(({ field, from, to }) => [field, from, to])} />
      )}
    </article>
  )
}

const shown = (value: unknown): string => {
  if (value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** A field with its value, or with the values before and after. */
type Row = readonly [field: string, ...values: unknown[]]

const Values = ({ step, rows }: { readonly step: Step; readonly rows: readonly Row[] }) => {
  const text = useTexts(planTexts)
  const columns = step.action === 'create' ? [text.value] : [text.now, text.then]
  return (
    <TableFrame>
      <table className={styles['table']} aria-label={nameOf(step)}>
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([field, ...values]) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              {columns.map((column, index) => (
                <td key={column} data-label={column}>
                  <pre className={own['value']}>{shown(values[index])}</pre>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
