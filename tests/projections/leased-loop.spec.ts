/** The leased loop against its invariants, over histories of leases, failures and stops, under a clock that jumps. */
import { expect } from 'chai'
import fc from 'fast-check'
import { leasedLoop } from '../../projections/leased-loop.ts'
import type { Lease } from '../../projections/lease.ts'

/** What happens in one turn of the loop. */
type Turn =
  | 'taken elsewhere'
  | 'cannot take'
  | 'work ends'
  | 'work fails'
  | 'work fails permanently'
  | 'lease lost at work'

const turns: readonly Turn[] = [
  'taken elsewhere',
  'cannot take',
  'work ends',
  'work fails',
  'work fails permanently',
  'lease lost at work',
]

const POLL = 500
const FIRST = 100
const MOST = 1600

class Unmendable extends Error {}

/** Plays the turns, and stops the loop at its `stopIn`th step (take, work or rest). */
const play = async (history: readonly Turn[], stopIn: number) => {
  const seen = {
    taken: 0,
    released: 0,
    atWork: 0,
    mostAtWork: 0,
    rests: [] as number[],
    began: 0,
    afterStop: 0,
  }
  const reports: string[] = []
  let moments = 0
  let stopped: Promise<void> | undefined
  const moment = (): void => {
    if (moments++ === stopIn) stopped = loop.stop()
  }
  let at = 0
  const lease = (signal: AbortSignal): Lease => ({
    fence: '1',
    signal,
    held: 'true',
    surelyHeld: () => true,
    assertHeld: () => Promise.resolve(),
    release: () => {
      seen.released++
      return Promise.reject(new Error('the database is unavailable'))
    },
  })
  let lost = new AbortController()
  const loop = leasedLoop({
    take: () => {
      moment()
      const turn = history[at]
      if (turn === undefined) stopped ??= loop.stop()
      if (turn === 'cannot take') return Promise.reject(new Error('no database'))
      if (turn === undefined || turn === 'taken elsewhere') return Promise.resolve(null)
      lost = new AbortController()
      seen.taken++
      return Promise.resolve(lease(lost.signal))
    },
    work: async (signal) => {
      if (stopped !== undefined) seen.afterStop++
      seen.began++
      seen.mostAtWork = Math.max(seen.mostAtWork, ++seen.atWork)
      moment()
      await Promise.resolve()
      seen.atWork--
      if (history[at] === 'lease lost at work') lost.abort(new Error('lost'))
      if (lost.signal.aborted) expect(signal.aborted, 'the loss reaches the work').to.equal(true)
      if (stopped !== undefined) expect(signal.aborted, 'the stop reaches the work').to.equal(true)
      if (history[at] === 'work fails') throw new Error('failed')
      if (history[at] === 'work fails permanently') throw new Unmendable('bad event')
    },
    failed: (error) => {
      reports.push((error as Error).message)
      return error instanceof Unmendable ? 'end' : 'retry'
    },
    pollMs: POLL,
    retryMs: { first: FIRST, most: MOST },
    rest: async (ms, signal) => {
      expect(signal.aborted, 'no rest after a stop').to.equal(false)
      seen.rests.push(ms)
      at++
      moment()
      await Promise.resolve()
    },
    random: () => 1,
  })
  loop.start()
  loop.start()
  for (let ticks = 0; stopped === undefined && ticks < 10_000; ticks++) {
    await Promise.resolve()
    if (reports.includes('bad event')) stopped = loop.stop()
  }
  await stopped
  return { ...seen, reports }
}

/** Milliseconds that the loop rests after each run, as its header states. */
const restsAfter = (history: readonly Turn[]): number[] => {
  let failures = 0
  return history.map((turn) => {
    if (turn === 'cannot take' || turn === 'work fails') return Math.min(MOST, FIRST * 2 ** failures++)
    failures = 0
    return POLL
  })
}

describe('the leased loop', () => {
  it('EVT-04 keeps its invariants over any history of leases, failures and stops', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...turns), { maxLength: 12 }),
        fc.integer({ min: 0, max: 40 }),
        async (history, stopIn) => {
          const seen = await play(history, stopIn)
          expect(seen.mostAtWork, 'one run at a time').to.be.at.most(1)
          expect(seen.atWork, 'no work runs after the stop').to.equal(0)
          expect(seen.afterStop, 'no work starts after a stop').to.equal(0)
          expect(seen.released, 'every lease is released').to.equal(seen.taken)
          const expected = restsAfter(history)
          expect(seen.rests).to.deep.equal(expected.slice(0, seen.rests.length))
        },
      ),
    ))

  it('EVT-04 a permanent failure ends it', async () => {
    const seen = await play(['work fails', 'work fails permanently', 'work ends'], 1000)
    expect(seen.reports).to.deep.equal(['failed', 'bad event'])
    expect(seen.began).to.equal(2)
  })

  it('EVT-04 consecutive failures increase the pause up to the maximum; a successful run resets it', async () => {
    const failing: readonly Turn[] = Array.from({ length: 6 }, () => 'work fails')
    const seen = await play([...failing, 'work ends', 'work fails'], 1000)
    expect(seen.rests).to.deep.equal([100, 200, 400, 800, 1600, 1600, 500, 100])
  })
})
