import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { exportKinds, type ExportEvent, type ExportRequest } from './events.ts'

export interface ExportState {
  readonly exists: boolean
}

export type ExportCommand =
  | { type: 'request'; exportId: string; request: ExportRequest }
  | { type: 'download'; exportId: string; sha256: string }

const initial: ExportState = { exists: false }

const evolve = (): ExportState => ({ exists: true })

const decide = (command: ExportCommand, { exists }: ExportState): Decision<ExportEvent> => {
  const { exportId } = command
  if (command.type === 'request') {
    const { kinds, format, at } = command.request
    if (exists) return refuse('ERR_CONFLICT')
    if (kinds.length === 0) return refuse('ERR_INVALID', 'kinds: expected at least one', '/kinds')
    const inOrder = exportKinds.filter((kind) => kinds.includes(kind))
    return accept({ type: 'export.requested', data: { exportId, kinds: inOrder, format, at } })
  }
  if (!exists) return refuse('ERR_NOT_FOUND')
  return accept({ type: 'export.downloaded', data: { exportId, sha256: command.sha256 } })
}

export const exportDecider: Decider<ExportState, ExportCommand, ExportEvent> = { initial, evolve, decide }

export const exportStream = (exportId: string): string => `export-${exportId}`
