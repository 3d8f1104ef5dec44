/** How one command for each of many records is run: at which pace, and when it ends. */
import { expect } from 'chai'
import { runBulk, type BulkResult } from '../../../adapters/inbound/web/browser/console/kit/bulk-run.ts'
import { ApiError } from '../../../adapters/inbound/web/browser/lib/api.ts'

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n)

/** Runs commands whose answers `answer` decides, with pauses that take no time. */
const ran = async (
  count: number,
  answer: (item: number, attempt: number) => ApiError | null,
  stopAfter = Infinity,
): Promise<BulkResult<number> & { readonly pauses: readonly number[]; readonly atOnce: number }> => {
  const stop = new AbortController()
  const pauses: number[] = []
  const attempts = new Map<number, number>()
  let running = 0
  let atOnce = 0
  const result = await runBulk({
    items: numbers(count),
    send: async (item) => {
      atOnce = Math.max(atOnce, ++running)
      await Promise.resolve()
      running--
      const attempt = attempts.get(item) ?? 0
      attempts.set(item, attempt + 1)
      const error = answer(item, attempt)
      if (error !== null) throw error
    },
    pause: async (milliseconds) => {
      pauses.push(milliseconds)
      await Promise.resolve()
    },
    signal: stop.signal,
    onProgress: (finished) => {
      if (finished >= stopAfter) stop.abort()
    },
  })
  return { ...result, pauses, atOnce }
}

/** A promise, and what fulfils it. */
const gate = (): readonly [Promise<void>, () => void] => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return [opened, () => open()]
}

const busy = (seconds: number | null): ApiError => new ApiError('ERR_RATE_LIMITED', 'Wait.', seconds)

describe('a command for each of many records', () => {
  it('sends at most four at a time, and each once', async () => {
    const { done, failed, left, atOnce } = await ran(50, () => null)
    expect([...done].sort((a, b) => a - b)).to.deep.equal(numbers(50))
    expect([failed.length, left.length, atOnce]).to.deep.equal([0, 0, 4])
  })

  it('goes on after a failure, and lists it', async () => {
    const { done, failed } = await ran(9, (item) =>
      item % 3 === 0 ? new ApiError('ERR_CONFLICT', 'No.') : null,
    )
    expect(failed.map(({ item }) => item)).to.have.members([0, 3, 6])
    expect(done).to.have.length(6)
  })

  it('waits as long as the service asks, and repeats the command', async () => {
    const { done, failed, pauses } = await ran(500, (item, attempt) =>
      item % 100 === 7 && attempt < 2 ? busy(3) : null,
    )
    expect([done.length, failed.length]).to.deep.equal([500, 0])
    expect(pauses).to.deep.equal(Array.from({ length: 10 }, () => 3000))
  })

  it('says that it waits while commands that were sent before finish', async () => {
    const [pauseEnds, endPause] = gate()
    const [slowEnds, endSlow] = gate()
    const reported: (readonly [finished: number, waiting: number | null])[] = []
    let refusals = 1
    await runBulk({
      items: ['refused', 'slow'],
      send: async (item) => {
        if (item === 'slow') await slowEnds
        else if (refusals-- > 0) throw busy(3)
      },
      pause: () => {
        endSlow()
        return pauseEnds
      },
      signal: new AbortController().signal,
      onProgress: (finished, waiting) => {
        reported.push([finished, waiting])
        if (finished === 1) endPause()
      },
    })
    expect(reported).to.deep.equal([
      [0, null],
      [0, 3],
      [1, 3],
      [2, null],
    ])
  })

  it('waits longer each time if the service is unavailable and does not say how long', async () => {
    const { done, pauses } = await ran(1, (_, attempt) =>
      attempt < 4 ? new ApiError('ERR_UNAVAILABLE', 'Later.') : null,
    )
    expect(pauses).to.deep.equal([1000, 2000, 4000, 8000])
    expect(done).to.deep.equal([0])
  })

  it('gives up a command that the service never takes', async () => {
    const { failed, pauses } = await ran(1, () => busy(1))
    expect(failed).to.have.length(1)
    expect(pauses).to.have.length(20)
  })

  it('ends at once when a sign-in is needed, and knows what was not sent', async () => {
    const { done, failed, left, ending } = await ran(40, (item) =>
      item >= 10 ? new ApiError('ERR_REAUTH_REQUIRED', 'Sign in again.') : null,
    )
    expect(ending?.code).to.equal('ERR_REAUTH_REQUIRED')
    expect(failed).to.deep.equal([])
    expect([...done, ...left].sort((a, b) => a - b)).to.deep.equal(numbers(40))
    expect(done).to.have.length(10)
  })

  it('stops half way: what was sent is waited for, the rest is left', async () => {
    const { done, left, ending } = await ran(40, () => null, 8)
    expect(ending).to.equal(null)
    expect(done.length).to.be.within(8, 12)
    expect([...done, ...left].sort((a, b) => a - b)).to.deep.equal(numbers(40))
  })

  it('stops while it waits', async () => {
    const { left, done } = await ran(4, () => busy(60), 0)
    expect(done).to.deep.equal([])
    expect(left).to.have.length(4)
  })
})
