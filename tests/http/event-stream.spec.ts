import { expect } from 'chai'
import type { Readable } from 'node:stream'
import { eventStreams } from '../../adapters/inbound/http/event-stream.ts'
import { createWakeUp } from '../../adapters/kernel/wake-up.ts'
import { until } from '../support/until.ts'

describe('an event stream', () => {
  const limits = { perCredential: 1, all: 1, heartbeatMs: 30, paceMs: 1 }
  const caller = { kind: 'anonymous' } as const
  const context = {
    lastEventId: undefined,
    stillAllowed: () => Promise.resolve(true),
    ending: new AbortController().signal,
  }

  it('sends heartbeats while its filters leave everything out', async () => {
    const news = createWakeUp()
    const busy = setInterval(news.wake, 2)
    const { data } = eventStreams(news, limits).open(caller, context, {
      first: '',
      read: () => Promise.resolve([]),
      write: () => Promise.resolve([]),
    })
    let text = ''
    ;(data as Readable).on('data', (chunk: Buffer) => (text += chunk.toString()))
    try {
      await until(() => text.split(':\n\n').length > 2)
    } finally {
      clearInterval(busy)
      ;(data as Readable).destroy()
    }
  })

  it('ends during an outage, fails for other errors, and gives its place back', async () => {
    const streams = eventStreams(createWakeUp(), limits)
    const ended = async (error: Error): Promise<string> => {
      const { data } = streams.open(caller, context, {
        first: '',
        read: () => Promise.reject(error),
        write: () => Promise.resolve([]),
      })
      return new Promise((resolve) => {
        ;(data as Readable)
          .on('error', ({ message }) => resolve(message))
          .on('end', () => resolve('end'))
          .resume()
      })
    }
    expect(await ended(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))).to.equal('end')
    expect(await ended(new Error('a bug'))).to.equal('a bug')
    expect(await ended(new Error('another'))).to.equal('another')
  })
})
