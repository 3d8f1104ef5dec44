/** Repeated tasks against their invariants, with a simulated clock. */
import { expect } from 'chai'
import fc from 'fast-check'
import { repeatTasks } from '../../adapters/kernel/repeated-tasks.ts'

interface Planned {
  readonly every: number
  /** Seconds that each run takes, and whether it fails; the list repeats */
  readonly runs: readonly { readonly takes: number; readonly fails: boolean }[]
}

const planned = fc.record({
  every: fc.integer({ min: 0, max: 20 }),
  runs: fc.array(fc.record({ takes: fc.integer({ min: 0, max: 9 }), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** Minimum seconds that a failed task waits. */
const AFTER_FAILURE = 7

const play = async (tasks: readonly Planned[], beginsLater: boolean, until: number) => {
  let now = 0
  let underWay = 0
  const stopping = new AbortController()
  const runs: { task: string; began: number; ended: number; failed: boolean }[] = []
  const reports: string[] = []
  const passes = (ms: number): void => {
    now += ms
    if (now >= until * 1000) stopping.abort()
  }
  await repeatTasks(
    tasks.map(({ every, runs: plan }, index) => {
      let count = 0
      return {
        name: String(index),
        every,
        run: async () => {
          expect(stopping.signal.aborted, 'nothing begins after a stop').to.equal(false)
          expect(underWay++, 'one at a time').to.equal(0)
          const { takes, fails } = plan[count++ % plan.length] as Planned['runs'][number]
          const began = now
          await Promise.resolve()
          passes(takes * 1000)
          underWay--
          runs.push({ task: String(index), began, ended: now, failed: fails })
          if (fails) throw new Error('failed')
        },
      }
    }),
    {
      signal: stopping.signal,
      succeeded: (task) => reports.push(`${task} good`),
      failed: (task) => {
        reports.push(`${task} bad`)
        return AFTER_FAILURE * 1000
      },
      beginsLater,
      rest: async (ms) => {
        await Promise.resolve()
        passes(ms)
      },
      nowMs: () => now,
    },
  )
  return { runs, reports, now }
}

describe('repeated tasks', () => {
  it('run one at a time, each after its pause, even if others fail', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(planned, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (tasks, beginsLater) => {
          const { runs, reports } = await play(tasks, beginsLater, 200)
          expect(reports).to.deep.equal(runs.map(({ task, failed }) => `${task} ${failed ? 'bad' : 'good'}`))
          for (const [index, { every }] of tasks.entries()) {
            const own = runs.filter(({ task }) => task === String(index))
            if (beginsLater && own[0] !== undefined) expect(own[0].began).to.be.at.least(every * 1000)
            for (const [n, { began }] of own.entries()) {
              const before = own[n - 1]
              if (before === undefined) continue
              const pause = before.failed ? Math.max(every, AFTER_FAILURE) : every
              expect(began).to.be.at.least(before.ended + pause * 1000)
            }
          }
        },
      ),
    ))

  it('run every task, even if others take long', async () => {
    const slow = { every: 0, runs: [{ takes: 9, fails: false }] }
    const failing = { every: 5, runs: [{ takes: 1, fails: true }] }
    const { runs } = await play([slow, failing], false, 100)
    expect(runs.filter(({ task }) => task === '1').length).to.be.at.least(5)
  })

  it('end when they are stopped, while idle or running', async () => {
    const { now } = await play([{ every: 20, runs: [{ takes: 1, fails: false }] }], true, 10)
    expect(now).to.equal(20_000)
  })
})
