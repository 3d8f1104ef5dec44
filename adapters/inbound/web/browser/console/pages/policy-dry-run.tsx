import { useState } from 'react'
import { useCommand, useRecord } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Select } from '../kit/field.tsx'
import kitStyles from '../kit/kit.module.css'
import { Problem } from '../kit/problem.tsx'
import { Loaded, Section } from '../kit/record.tsx'
import type { PolicyDryRunRecord, PolicyRecord } from '../records.ts'
import { DryRunResult } from './policy-dry-run-result.tsx'
import { usePolicyTexts } from './policy-texts.ts'

const DAY_MS = 86_400_000
const POLL_MS = 1000

const tones: Readonly<Record<PolicyDryRunRecord['status'], Tone>> = {
  running: 'neutral',
  done: 'good',
  failed: 'bad',
  cancelled: 'neutral',
}

const periodDays = { week: 7, month: 30, quarter: 90, year: 365 } as const

/** What the policy would have done to past sign-ins. */
export const PolicyDryRun = ({ policy }: { readonly policy: PolicyRecord }) => {
  const text = usePolicyTexts()
  const [days, setDays] = useState<keyof typeof periodDays>('month')
  const [runId, setRunId] = useState<string | null>(null)
  const { mutate, error, isPending } = useCommand<PolicyDryRunRecord>()
  const { conditions, action, sessionMaxAgeMinutes } = policy
  return (
    <Section title={text.dryRun} hint={text.dryRunHint}>
      <form
        className={kitStyles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isPending) return
          const to = new Date()
          mutate(
            {
              method: 'POST',
              path: '/policies/dry-run',
              body: {
                policy: { id: policy.id, conditions, action, sessionMaxAgeMinutes },
                from: new Date(to.getTime() - periodDays[days] * DAY_MS).toISOString(),
                to: to.toISOString(),
              },
            },
            { onSuccess: ({ id }) => setRunId(id) },
          )
        }}
      >
        <Select
          name="period"
          label={text.period}
          value={days}
          options={Object.entries(text.periods).map(([value, label]) => ({ value, label }))}
          onChange={(value) => setDays(value as keyof typeof periodDays)}
        />
        <Button type="submit" look="primary" busy={isPending}>
          {text.start}
        </Button>
      </form>
      {error !== null && <Problem error={error} />}
      {runId !== null && <Run key={runId} id={runId} />}
    </Section>
  )
}

const Run = ({ id }: { readonly id: string }) => {
  const text = usePolicyTexts()
  const run = useRecord<PolicyDryRunRecord>(`/policy-dry-runs/${id}`, false, ({ status }) =>
    status === 'running' ? POLL_MS : 0,
  )
  const { mutate, error, isPending } = useCommand()
  return (
    <Loaded query={run}>
      {(data) => (
        <>
          <div className="actions">
            <p aria-live="polite">
              <Badge tone={tones[data.status]}>{text.runStatuses[data.status]}</Badge>{' '}
              {text.progress(data.evaluated, data.total)}
            </p>
            {data.status === 'running' && (
              <Button
                small
                busy={isPending}
                onClick={() => mutate({ method: 'DELETE', path: `/policy-dry-runs/${id}` })}
              >
                {text.stop}
              </Button>
            )}
          </div>
          {error !== null && <Problem error={error} />}
          <DryRunResult run={data} />
        </>
      )}
    </Loaded>
  )
}
