/** Generates the page of the event catalogue from `domain/catalogue.ts` and the frozen example of each event. */
import { readFileSync } from 'node:fs'
import { catalogue, rowOf, type EventType } from '../../domain/catalogue.ts'
import { retentionOf, retentionPeriods, retentionSeconds } from '../../domain/retention.ts'
import { codes, generated, table } from './markdown.ts'

type Data = Readonly<Record<string, unknown>>

interface Entry {
  readonly type: EventType
  readonly row: ReturnType<typeof rowOf>
  /** Data of the current version, from the corpus */
  readonly example: Data
  /** The category of its streams: the part before the first `-`. */
  readonly category: string
}

const actionsOf = ({ row }: Entry): readonly string[] => {
  if ('actions' in row) return Object.keys(row.actions)
  return row.audit === null ? [] : [row.audit]
}

/** Returns the consequences of an event: `takesAway`, `endsSessions: all_of_person`, … */
const consequencesOf = ({ row }: Entry): readonly string[] =>
  Object.entries(row.consequences).flatMap(([name, value]: [string, unknown]) => {
    if (value === true) return [name]
    if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}: ${value.join(' ')}`]
    return typeof value === 'string' && value !== 'none' ? [`${name}: ${value}`] : []
  })

const DAY = 86_400

const keptFor = ({ category }: Entry): string => {
  const kept = retentionOf(category)
  const seconds = retentionSeconds(kept, retentionPeriods([]), 0)
  if (seconds === null) return 'permanently'
  return `${String(seconds / DAY)} days${kept === 'sign_in' ? ' (setting)' : ''}`
}

/** The columns of the page. */
const columns: readonly { readonly head: string; readonly of: (entry: Entry) => string }[] = [
  { head: 'Event', of: ({ type }) => `\`${type}\`` },
  { head: 'Version', of: ({ row }) => String(row.schema) },
  { head: 'Audit actions', of: (entry) => codes(actionsOf(entry)) },
  { head: 'Target', of: ({ row, example }) => row.target(example).type },
  { head: 'Personal fields', of: ({ row }) => codes(row.personal) },
  { head: 'Kept', of: keptFor },
  { head: 'Consequences', of: (entry) => codes(consequencesOf(entry)) },
  {
    head: 'Summary, for example',
    of: ({ row, example }) => {
      const target = row.target(example).type === 'user' ? 'Ada' : 'Example'
      return row.summary(example, { target, other: 'Grace' })
    },
  },
]

/** Returns the part before the dot: `user`, `api_key`, … */
const familyOf = (type: string): string => type.split('.', 1)[0] ?? ''

/** Returns the page: one table for each family of events, in the order of the catalogue. */
export const eventsPage = (root: URL): string => {
  const entryOf = (type: EventType): Entry => {
    const row = rowOf(type)
    const file = `tests/domain/corpus/${type}.v${String(row.schema)}.json`
    const frozen = JSON.parse(readFileSync(new URL(file, root), 'utf8')) as { data: Data; stream: string }
    return { type, row, example: frozen.data, category: frozen.stream.split('-', 1)[0] ?? '' }
  }
  const entries = (Object.keys(catalogue) as EventType[]).map(entryOf)
  const families = [...new Set(entries.map(({ type }) => familyOf(type)))]
  const tableOf = (family: string): string =>
    table(
      columns.map(({ head }) => head),
      entries
        .filter(({ type }) => familyOf(type) === family)
        .map((entry) => columns.map(({ of }) => of(entry))),
    )
  return [
    generated('`domain/catalogue.ts`'),
    '# Events',
    [
      `The service records ${String(entries.length)} types of event. An event without an audit action is a detail of another event`,
      'that the same command records. Personal fields are encrypted with a key of the user whom they describe; erasing the',
      'user destroys that key. Consequences are the effects of an event elsewhere; `domain/catalogue-row.ts` defines',
      'each. A stored version never changes: `tests/domain/corpus/` holds one example of each type and version.',
    ].join('\n'),
    ...families.map((family) => `## ${family}\n\n${tableOf(family)}`),
  ].join('\n\n')
}
