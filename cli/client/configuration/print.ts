/** A plan as text. */
import type { LastChange } from '../../../domain/configuration-plan/plan.ts'
import { printable } from '../http.ts'
import type { Plan, Step } from './plan.ts'

const marks = { create: '+', update: '~', delete: '-' } as const

const nameOf = ({ kind, key }: Pick<Step, 'kind' | 'key'>): string =>
  printable(key === '' ? kind : `${kind}/${key}`)

/** Values on one line, as JSON, which is also YAML. */
const shown = (value: unknown): string => printable(JSON.stringify(value) ?? 'null')

const lastText = ({ time, by, summary, applied }: LastChange): string =>
  `last ${applied ? 'applied' : 'changed'} ${time.slice(0, 16)}Z by ${printable(by ?? 'the service')}: ${printable(summary)}`

export const stepText = (step: Step, last: LastChange | null): string => {
  const lines = [`${marks[step.action]} ${nameOf(step)}${last === null ? '' : `  (${lastText(last)})`}`]
  if (step.action === 'update')
    for (const { field, from, to } of step.changes) lines.push(`    ${field}: ${shown(from)} → ${shown(to)}`)
  return `${lines.join('\n')}\n`
}

export const summaryText = ({ steps, unmanaged }: Plan): string => {
  const count = (action: Step['action']): string =>
    String(steps.filter((step) => step.action === action).length)
  const lines = [`${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete.`]
  if (unmanaged.length > 0)
    lines.push(
      `Only in the service, and kept: ${unmanaged.map(nameOf).join(', ')}. --prune deletes what no file describes.`,
    )
  return `${lines.join('\n')}\n`
}
