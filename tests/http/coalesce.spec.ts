import { expect } from 'chai'
import { coalesced } from '../../adapters/kernel/coalesce.ts'
import { createPace } from '../../adapters/kernel/pace.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Queries that end on request. */
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

describe('Coalesced look-ups', () => {
  it('combines the calls of one turn into one query, and answers each separately', async () => {
    const { askings, ask } = held()
    const answers = Promise.all([ask(1), ask(2), ask(3)])
    await turn()
    expect(askings.map(({ questions }) => questions)).to.deep.equal([[1, 2, 3]])
    askings[0]?.end()
    expect(await answers).to.deep.equal(['1', '2', '3'])
  })

  it('answers no caller from a query that began before the call', async () => {
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

  it('does not wait behind an asking that hangs', async () => {
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

  it('gathers as many calls as recent rounds had, but not for long', () => {
    const { left, begins, pass } = paced()
    begins(3)
    expect(left(3)).to.equal(0)
    begins(8)
    pass(1)
    expect([left(2), left(8)]).to.deep.equal([3, 0])
    pass(3)
    expect(left(2)).to.equal(0)
  })

  it('forgets how many they were', () => {
    const { left, begins } = paced()
    begins(8)
    for (let round = 0; round < 100; round++) begins(1)
    expect(left(1)).to.equal(0)
  })
})
