import { entityManagement, medium } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { ExportEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ exportId }: { exportId: string }) => ({ type: 'export', id: exportId }),
  personal: [],
  subject: nobody,
  consequences: noConsequences,
} as const

export const exportEvents = {
  'export.requested': {
    ...common,
    audit: 'export.create',
    ocsf: entityManagement('Create', medium),
    summary: ({ kinds, at }) =>
      `Requested an export of ${kinds.join(', ').replaceAll('_', '-')}${at === null ? '' : ` as of ${at}`}`,
  },
  'export.downloaded': {
    ...common,
    audit: 'export.download',
    ocsf: entityManagement('Read', medium),
    summary: ({ sha256 }) => `Downloaded an export (SHA-256 ${sha256})`,
  },
} as const satisfies Rows<ExportEvent>
