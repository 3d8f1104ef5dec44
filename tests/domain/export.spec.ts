import { exportDecider, type ExportCommand } from '../../domain/export/decider.ts'
import type { ExportEvent, ExportRequest } from '../../domain/export/events.ts'
import { given } from '../support/domain/given.ts'
import { at } from '../support/fixed.ts'

const exportId = 'exp_01JZ0000000000000000000001'
const request: ExportRequest = { kinds: ['users', 'log'], format: 'csv', at: at(1) }
const requested: ExportEvent = { type: 'export.requested', data: { exportId, ...request } }
const ask = (changes: Partial<ExportRequest> = {}): ExportCommand => ({
  type: 'request',
  exportId,
  request: { ...request, ...changes },
})
const download: ExportCommand = { type: 'download', exportId, sha256: 'abc' }
const downloaded: ExportEvent = { type: 'export.downloaded', data: { exportId, sha256: 'abc' } }

describe('Export', () => {
  it('API-11 lists what was requested once each, in one order', () => {
    given(exportDecider).when(ask()).then(requested)
    given(exportDecider)
      .when(ask({ kinds: ['log', 'users', 'log'] }))
      .then(requested)
    given(exportDecider)
      .when(ask({ kinds: [] }))
      .refuses('ERR_INVALID', null, '/kinds')
    given(exportDecider, requested).when(ask()).refuses('ERR_CONFLICT')
  })

  it('API-11 records every download', () => {
    given(exportDecider).when(download).refuses('ERR_NOT_FOUND')
    given(exportDecider, requested).when(download).then(downloaded)
    given(exportDecider, requested, downloaded).when(download).then(downloaded)
  })
})
