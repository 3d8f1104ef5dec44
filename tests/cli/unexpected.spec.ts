import { expect } from 'chai'
import { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import {
  approximateTracking,
  exactTracking,
  loggedPath,
  type RequestTracking,
} from '../../adapters/inbound/http/current-request.ts'
import { requestIdOf } from '../../adapters/inbound/http/request-id.ts'
import { exitCodes } from '../../cli/server/exit-codes.ts'
import { endOnUnexpected } from '../../cli/server/unexpected.ts'
import { recordingLog } from '../support/service/service.ts'

const requestTo = (url: string) => Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url })

/** The policy, applied to a stand-in for a process. */
const watched = ({ endWithin, logged }: { endWithin?: number; logged?: RequestTracking['logged'] } = {}) => {
  const process = new EventEmitter()
  const log = recordingLog()
  let attach!: (stop: () => Promise<void>) => void
  const exited = new Promise<number>((resolve) => {
    const policy = endOnUnexpected({
      process,
      log,
      requests: logged ?? (() => ({})),
      exit: resolve,
      ...(endWithin === undefined ? {} : { endWithin }),
    })
    attach = policy.attach
  })
  return { process, log, exited, attach }
}

describe('an uncaught error', () => {
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    it(`${kind}: is logged; work in progress ends, then the process, with a separate exit code`, async () => {
      const { process, log, exited, attach } = watched()
      const steps: string[] = []
      let finish = (): void => undefined
      attach(async () => {
        steps.push('stopping')
        await new Promise<void>((resolve) => (finish = resolve))
        steps.push('stopped')
      })
      process.emit(kind, new TypeError('no function'))
      expect(steps).to.deep.equal(['stopping'])
      finish()
      expect(await exited).to.equal(exitCodes.unexpected)
      expect(steps).to.deep.equal(['stopping', 'stopped'])
      expect(log.lines).to.have.length(1)
      expect(log.lines[0]).to.match(/^error unexpected error/)
      expect(log.lines[0]).to.contain(`"kind":"${kind}"`)
    })

  it('ends the process if work in progress does not end in time or cannot be stopped', async () => {
    const stuck = watched({ endWithin: 1 })
    stuck.attach(() => new Promise(() => undefined))
    stuck.process.emit('uncaughtException', new Error('one'))
    expect(await stuck.exited).to.equal(exitCodes.unexpected)
    const broken = watched()
    broken.attach(() => Promise.reject(new Error('cannot stop')))
    broken.process.emit('uncaughtException', new Error('one'))
    expect(await broken.exited).to.equal(exitCodes.unexpected)
    expect(broken.log.lines.join()).to.contain('did not shut down cleanly')
  })

  it('stops the service once, even if more errors follow', async () => {
    const { process, log, exited, attach } = watched()
    let stops = 0
    let finish = (): void => undefined
    attach(async () => {
      stops++
      await new Promise<void>((resolve) => (finish = resolve))
    })
    process.emit('uncaughtException', new Error('one'))
    process.emit('unhandledRejection', 'two')
    finish()
    await exited
    expect(stops).to.equal(1)
    expect(log.lines[1]).to.match(/^error another unexpected error/)
  })

  it('ends a process immediately if it does not serve yet', async () => {
    const { process, exited } = watched()
    process.emit('unhandledRejection', null)
    expect(await exited).to.equal(exitCodes.unexpected)
  })

  it('is logged with its request, since Node.js 24', async () => {
    const tracking = exactTracking()
    const request = requestTo('/oauth2/token?code=secret')
    const { process, log } = watched(tracking)
    const others = requestTo('/oauth2/keys')
    tracking.run(others, new ServerResponse(others), () => undefined)
    await tracking.run(request, new ServerResponse(request), async () => {
      await Promise.resolve()
      process.emit('uncaughtException', new TypeError('no function'))
    })
    expect(log.lines[0]).to.contain(
      `"request":{"requestId":"${requestIdOf(request)}","method":"POST","path":"/oauth2/token"}`,
    )
    process.emit('uncaughtException', new TypeError('no request'))
    expect(log.lines[1]).not.to.contain('"request')
  })

  it('is logged with the requests in progress and those that ended last, before Node.js 24', () => {
    const tracking = approximateTracking()
    const start = (url: string) => {
      const request = requestTo(url)
      const response = new ServerResponse(request)
      tracking.run(request, response, () => undefined)
      return { id: requestIdOf(request), end: () => response.emit('close') }
    }
    expect(tracking.logged()).to.deep.equal({})
    const [first, second] = [start('/oauth2/token?code=secret'), start('/oauth2/keys')]
    first.end()
    expect(tracking.logged().requests).to.deep.equal([
      { requestId: second.id, method: 'POST', path: '/oauth2/keys' },
      { requestId: first.id, method: 'POST', path: '/oauth2/token' },
    ])
    for (const { end } of Array.from({ length: 10 }, () => start('/healthz'))) end()
    const many = Array.from({ length: 30 }, () => start('/readyz'))
    const logged = tracking.logged().requests?.map(({ path }) => path)
    expect(logged).to.deep.equal([...Array<string>(15).fill('/readyz'), ...Array<string>(5).fill('/healthz')])
    for (const { end } of many) end()
    expect(tracking.logged().requests).to.have.length(6)
  })

  it('is logged without possible secrets in its path', () => {
    const token = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF'
    expect(loggedPath(`/enroll/${token}?token=${token}`)).to.equal('/enroll/…')
    expect(loggedPath('/device/WXYZ-BCDF')).to.equal('/device/…')
    expect(loggedPath('/api/v1/users/usr_01J0000000000000000000000A/suspend')).to.equal(
      '/api/v1/users/usr_01J0000000000000000000000A/suspend',
    )
    expect(loggedPath('/a\0b/\u202e')).to.equal('/…/…')
  })
})
