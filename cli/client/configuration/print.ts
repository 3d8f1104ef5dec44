/** A plan as text. */
import { printable } from '../http.ts'
import type { AdminApi } from '../admin-api.ts'
import { kindOf } from './kinds.ts'
import type { Plan, Step } from './plan.ts'

const marks = { create: '+', update: '~', delete: '-' } as const

const nameOf = ({ kind, key }: Pick<Step, 'kind' | 'key'>): string =>
  printable(key === '' ? kind : `${kind}/${key}`)

/** Values on one line, as JSON, which is also YAML. */
const shown = (value: unknown): string => printable(JSON.stringify(value) ?? 'null')

/** Returns who changed a record last, and when; empty if the audit trail cannot be read. */
export type LastChange = (step: Step) => Promise<string>

export const lastChangeFrom =
  (api: AdminApi): LastChange =>
  async (step) => {
    if (step.action === 'create') return ''
    const { targetType, key } = kindOf(step.kind)
    const target = key === null ? 'organization' : step.id
    const query = new URLSearchParams({ targetType, targetId: target, limit: '1' })
    const entries = (await api.send('GET', `/audit?${query.toString()}`)) as unknown
    const [entry] = (Array.isArray(entries) ? entries : []) as readonly Record<string, unknown>[]
    if (entry === undefined) return ''
    const who = typeof entry['actorName'] === 'string' ? entry['actorName'] : 'the service'
    return `last changed ${String(entry['time']).slice(0, 16)}Z by ${printable(who)}: ${printable(String(entry['summary']))}`
  }

export const stepText = (step: Step, last: string): string => {
  const lines = [`${marks[step.action]} ${nameOf(step)}${last === '' ? '' : `  (${last})`}`]
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
