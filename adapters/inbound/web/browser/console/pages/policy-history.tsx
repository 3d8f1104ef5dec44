import { useState } from 'react'
import { useList } from '../api.ts'
import { Select } from '../kit/field.tsx'
import kitStyles from '../kit/kit.module.css'
import { Loaded, Section } from '../kit/record.tsx'
import { TableFrame } from '../kit/table-frame.tsx'
import { Time } from '../kit/time.tsx'
import { factText, policyFacts } from '../policy-facts.ts'
import { usePolicyNames, useSentenceTexts } from '../policy-names.ts'
import { policySentence } from '../policy-sentence.ts'
import type { PolicyVersionRecord } from '../records.ts'
import { useReader } from '../text.tsx'
import { usePolicyChoices } from './policy-choice-texts.ts'
import { PolicyStatus } from './policy-status.tsx'
import { usePolicyTexts } from './policy-texts.ts'

/** Every version, and what differs between two of them. */
export const PolicyHistory = ({ id }: { readonly id: string }) => {
  const text = usePolicyTexts()
  const versions = useList<PolicyVersionRecord>(`/policies/${id}/history`, { limit: '200' })
  return (
    <Loaded query={versions}>
      {({ items }) => (
        <>
          {items.length > 1 && <Comparison versions={items} />}
          <Section title={text.history}>
            <Versions versions={items} />
          </Section>
        </>
      )}
    </Loaded>
  )
}

interface VersionsProps {
  /** Newest first */
  readonly versions: readonly PolicyVersionRecord[]
}

/** Compares the newest version with the one before, until others are chosen. */
const Comparison = ({ versions }: VersionsProps) => {
  const text = usePolicyTexts()
  const { locale, timeZone } = useReader()
  const [chosenFrom, setFrom] = useState<string | null>(null)
  const [chosenTo, setTo] = useState<string | null>(null)
  const chosen = (version: string | null, otherwise: number): PolicyVersionRecord | undefined =>
    versions.find((each) => String(each.version) === version) ?? versions[otherwise]
  const from = chosen(chosenFrom, 1)
  const to = chosen(chosenTo, 0)
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const options = versions.map(({ version, updatedAt }) => ({
    value: String(version),
    label: `${text.versionOf(version)}, ${format.format(new Date(updatedAt))}`,
  }))
  return (
    <Section title={text.compare}>
      <div className={kitStyles['filters']}>
        <Select
          name="from"
          label={text.from}
          value={String(from?.version)}
          options={options}
          onChange={setFrom}
        />
        <Select name="to" label={text.to} value={String(to?.version)} options={options} onChange={setTo} />
      </div>
      <div aria-live="polite">
        {from !== undefined && to !== undefined && <Differences from={from} to={to} />}
      </div>
    </Section>
  )
}

const Differences = ({
  from,
  to,
}: {
  readonly from: PolicyVersionRecord
  readonly to: PolicyVersionRecord
}) => {
  const text = usePolicyTexts()
  const words = useSentenceTexts()
  const nameOf = usePolicyNames()
  const choices = usePolicyChoices()
  const rowsOf = (version: PolicyVersionRecord): readonly (readonly [string, string])[] => [
    [text.name, version.name],
    [text.status, text.statuses[version.status]],
    [text.what, policySentence(version, nameOf, words)],
    ...policyFacts(version, text, choices).map((fact) => [fact[0], factText(fact, nameOf, text)] as const),
    [text.priority, String(version.priority)],
  ]
  const before = rowsOf(from)
  const rows = rowsOf(to)
    .map(([field, after], index) => ({ field, before: before[index]?.[1] ?? '', after }))
    .filter((row) => row.before !== row.after)
  if (rows.length === 0) return <p>{text.same}</p>
  return (
    <TableFrame>
      <table className={kitStyles['table']} aria-label={text.differences}>
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.versionOf(from.version)}</th>
            <th scope="col">{text.versionOf(to.version)}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.field}>
              <th scope="row">{row.field}</th>
              <td data-label={text.versionOf(from.version)}>{row.before || '–'}</td>
              <td data-label={text.versionOf(to.version)}>{row.after || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}

const Versions = ({ versions }: VersionsProps) => {
  const text = usePolicyTexts()
  const words = useSentenceTexts()
  const nameOf = usePolicyNames()
  return (
    <TableFrame>
      <table className={kitStyles['table']} aria-label={text.history}>
        <thead>
          <tr>
            <th scope="col">{text.version}</th>
            <th scope="col">{text.status}</th>
            <th scope="col">{text.changed}</th>
            <th scope="col">{text.by}</th>
            <th scope="col">{text.what}</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <tr key={version.version}>
              <th scope="row">{text.versionOf(version.version)}</th>
              <td data-label={text.status}>
                <PolicyStatus status={version.status} />
              </td>
              <td data-label={text.changed}>
                <Time value={version.updatedAt} />
              </td>
              <td data-label={text.by}>{version.changedByName || text.unknown}</td>
              <td data-label={text.what}>{policySentence(version, nameOf, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}
