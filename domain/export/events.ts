import type { Instant } from '../time.ts'

/** What an export can contain: one file each. */
export const exportKinds = [
  'users',
  'groups',
  'memberships',
  'applications',
  'assignments',
  'sign_ins',
  'audit',
  'log',
] as const
export type ExportKind = (typeof exportKinds)[number]

export const exportFormats = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** What was asked for. */
export interface ExportRequest {
  readonly kinds: readonly ExportKind[]
  readonly format: ExportFormat
  /** The state at this time; null: when the export starts */
  readonly at: Instant | null
}

export type ExportEvent =
  | { type: 'export.requested'; data: { exportId: string } & ExportRequest }
  /** Recorded before the first byte is sent. */
  | {
      type: 'export.downloaded'
      data: {
        exportId: string
        /** SHA-256 of the file, hexadecimal */
        sha256: string
      }
    }
