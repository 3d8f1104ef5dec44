/** The batcher of look-ups: by example, and against its invariants under a clock of the test's own. */
import { expect } from 'chai'
import fc from 'fast-check'
import { coalesced, type Timers } from '../../adapters/kernel/coalesce.ts'
import { createPace } from '../../adapters/kernel/pace.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Returns queries that end on request. */
const held = () => {
  const askings: { questions: readonly number[]; end: (error?: Error) => void }[] = []
  const ask = (questions: readonly number[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        if (error === undefined) resolve(questions.map(String))
        else reject(error)
      }
      askings.push({ questions, end })
    })
  return { askings, ask: coalesced(ask) }
}

describe('Coalesced lookups', () => {
  it('combines the calls of one turn into one query, and answers each separately', async () => {
    const { askings, ask } = held()
    const answers = Promise.all([ask(1), ask(2), ask(3)])
    await turn()
    expect(askings.map(({ questions }) => questions)).to.deep.equal([[1, 2, 3]])
    askings[0]?.end()
    expect(await answers).to.deep.equal(['1', '2', '3'])
  })

  it('never uses a query that started before the call', async () => {
    const { askings, ask } = held()
    const first = ask(1)
    await turn()
    const second = ask(1)
    askings[0]?.end()
    expect(await first).to.equal('1')
    await turn()
    expect(askings).to.have.length(2)
    askings[1]?.end()
    expect(await second).to.equal('1')
  })

  it('does not wait for a hanging query', async () => {
    const { askings, ask } = held()
    void ask(1)
    await turn()
    const second = ask(2)
    while (askings.length < 2) await turn()
    askings[1]?.end()
    expect(await second).to.equal('2')
  })

  it('fails the calls of a query that fails, and continues', async () => {
    const { askings, ask } = held()
    const failing = Promise.allSettled([ask(1), ask(2)])
    await turn()
    askings[0]?.end(new Error('gone'))
    expect((await failing).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    const next = ask(3)
    while (askings.length < 2) await turn()
    askings[1]?.end()
    expect(await next).to.equal('3')
  })
})

type Step =
  | { readonly does: 'ask'; readonly questions: number }
  | { readonly does: 'pass'; readonly ms: number }
  | { readonly does: 'end' | 'fail'; readonly which: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('ask' as const),
    questions: fc.oneof(fc.constantFrom(1, 2, 300), fc.nat(20)),
  }),
  fc.record({ does: fc.constant('pass' as const), ms: fc.nat(30) }),
  fc.record({ does: fc.constantFrom('end' as const, 'fail' as const), which: fc.nat(3) }),
)

/** Questions of one call. */
const MOST = 256
/** Milliseconds that a question may wait for its call. */
const PATIENCE = 20

/** A clock whose timers run when the test lets time pass. */
const testTimers = () => {
  let now = 0
  let soon: (() => void)[] = []
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  const runSoon = async (): Promise<void> => {
    do {
      for (const run of soon.splice(0)) run()
      // What an answered call continues with.
      for (let n = 0; n < 5; n++) await Promise.resolve()
    } while (soon.length > 0)
  }
  const given: Timers = {
    now: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    soon: (run) => {
      soon = [...soon, run]
    },
  }
  return {
    given,
    now: () => now,
    settle: runSoon,
    pass: async (ms: number): Promise<void> => {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
        if (next === undefined) break
        now = Math.max(now, next.at)
        timers.delete(next)
        next.run()
        await runSoon()
      }
      now = end
    },
  }
}

describe('The batcher', () => {
  it('keeps its invariants over any history of questions, delays and failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (history) => {
        const time = testTimers()
        const asked: { at: number; called: number | null; answer?: number | 'failed' }[] = []
        let running: { questions: readonly number[]; end: (fails: boolean) => void }[] = []
        let free = 0
        const broken: string[] = []
        let lastCall = { at: -1, size: 0 }
        const ask = coalesced((questions: readonly number[]) => {
          const now = time.now()
          const hold = (condition: boolean, invariant: string): void => {
            if (!condition) broken.push(`${invariant}, at ${String(now)}`)
          }
          hold(questions.length >= 1 && questions.length <= MOST, 'size of a call')
          const oldest = Math.min(...questions.map((question) => asked[question]?.at ?? now))
          const isRestOfMany = lastCall.at === now && lastCall.size === MOST
          hold(
            running.length === 0 || isRestOfMany || now - Math.max(oldest, free) >= PATIENCE,
            'one call at a time',
          )
          hold(now - oldest <= PATIENCE, 'wait of a question')
          for (const question of questions) {
            const one = asked[question]
            hold(one?.called === null, 'each question in one call')
            if (one !== undefined) one.called = now
          }
          lastCall = { at: now, size: questions.length }
          return new Promise<readonly number[]>((resolve, reject) => {
            const call = {
              questions,
              end: (fails: boolean) => {
                running = running.filter((other) => other !== call)
                if (fails) reject(new Error('gone'))
                else resolve(questions.map((question) => question * 2))
              },
            }
            running = [...running, call]
          })
        }, time.given)
        const put = (): void => {
          const one: (typeof asked)[number] = { at: time.now(), called: null }
          const question = asked.push(one) - 1
          ask(question).then(
            (answer) => (one.answer = answer),
            () => (one.answer = 'failed'),
          )
        }
        for (const each of history) {
          if (each.does === 'ask') for (let n = 0; n < each.questions; n++) put()
          else if (each.does === 'pass') await time.pass(each.ms)
          else running[each.which]?.end(each.does === 'fail')
          if (running.length === 0) free = time.now()
          await time.settle()
        }
        await time.pass(PATIENCE)
        while (running.length > 0) {
          running[0]?.end(false)
          await time.settle()
        }
        expect(broken).to.deep.equal([])
        for (const [question, { answer }] of asked.entries())
          expect(answer === 'failed' ? question * 2 : answer, 'its own answer').to.equal(question * 2)
      }),
      { numRuns: 300 },
    )
  })
})

describe('The pace of rounds', () => {
  const paced = () => {
    let now = 1000
    return {
      ...createPace(4, () => now),
      pass: (ms: number) => {
        now += ms
      },
    }
  }

  it('does not delay a single caller', () => {
    const { left, begins } = paced()
    expect(left(1)).to.equal(0)
    begins(1)
    expect(left(1)).to.equal(0)
  })

  it('collects as many calls as recent rounds had, but not for long', () => {
    const { left, begins, pass } = paced()
    begins(3)
    expect(left(3)).to.equal(0)
    begins(8)
    pass(1)
    expect([left(2), left(8)]).to.deep.equal([3, 0])
    pass(3)
    expect(left(2)).to.equal(0)
  })

  it('adapts to fewer calls', () => {
    const { left, begins } = paced()
    begins(8)
    for (let round = 0; round < 100; round++) begins(1)
    expect(left(1)).to.equal(0)
  })
})
