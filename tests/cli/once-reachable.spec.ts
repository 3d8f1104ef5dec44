import { expect } from 'chai'
import { onceReachable } from '../../cli/server/once-reachable.ts'
import { CliError, exitCodes } from '../../cli/server/exit-codes.ts'
import { EventLogUnavailable } from '../../adapters/engines/event-log/event-log.ts'
import { recordingLog } from '../support/service/service.ts'

describe('a start that needs the stores', () => {
  const failing = (times: number, error: Error) => {
    let tried = 0
    const work = (): Promise<number> => (++tried > times ? Promise.resolve(tried) : Promise.reject(error))
    return { work, tried: () => tried }
  }
  const outage = new EventLogUnavailable('no answer')
  const failureOf = (started: Promise<unknown>): Promise<unknown> => started.catch((error: unknown) => error)

  it('CLI-01 retries while they are unavailable, and reports it', async () => {
    const log = recordingLog()
    expect(await onceReachable(failing(1, outage).work, log)).to.equal(2)
    expect(JSON.stringify(log.lines)).to.contain('no answer')
  })

  it('CLI-01 fails after the timeout, with the exit code for an unavailable store', async () => {
    const { work } = failing(Infinity, outage)
    const error = await failureOf(onceReachable(work, recordingLog(), { forMs: 1 }))
    expect(error).to.be.instanceOf(CliError).and.include({ exitCode: exitCodes.unreachable })
    expect((error as Error).message).to.contain('no answer')
  })

  it('CLI-01 stops waiting when it is stopped', async () => {
    const { work, tried } = failing(Infinity, outage)
    const stop = new AbortController()
    stop.abort()
    expect(await failureOf(onceReachable(work, recordingLog(), { signal: stop.signal }))).to.include({
      exitCode: exitCodes.unreachable,
    })
    expect(tried()).to.equal(1)
  })

  it('CLI-01 does not retry other failures', async () => {
    const { work, tried } = failing(Infinity, new TypeError('a bug'))
    expect(await failureOf(onceReachable(work, recordingLog()))).to.be.instanceOf(TypeError)
    expect(tried()).to.equal(1)
  })
})
