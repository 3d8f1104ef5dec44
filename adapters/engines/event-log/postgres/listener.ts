/**
 * Receives notifications of appends by other processes. They only wake readers: polling finds what is missed while
 * disconnected.
 */
import type pg from 'pg'
import { backOff } from '../../../kernel/back-off.ts'
import { createWakeUp } from '../../../kernel/wake-up.ts'
import { destroy } from './connection.ts'

export interface ListenerOptions {
  readonly connect: () => Promise<pg.Client>
  readonly onNews: () => void
  readonly random: () => number
  readonly closing: AbortSignal
}

const RETRY_FIRST_MS = 100
const RETRY_MOST_MS = 5_000
/** How often a silent connection is checked */
const ASK_MS = 15_000

export const listen = async ({ connect, onNews, random, closing }: ListenerOptions): Promise<void> => {
  const sleep = createWakeUp()
  for (let failures = 0; !closing.aborted;) {
    let client: pg.Client | undefined
    try {
      client = await connect()
      const broken = new AbortController()
      const wake = (): void => broken.abort()
      closing.addEventListener('abort', wake)
      if (closing.aborted) wake()
      client.on('notification', onNews).on('end', wake).on('error', wake)
      await client.query('listen log')
      onNews()
      failures = 0
      while (!broken.signal.aborted) {
        await sleep.after(sleep.now(), ASK_MS, broken.signal)
        const ask = { text: 'select 1', query_timeout: 2_000 }
        if (!broken.signal.aborted) await client.query(ask as pg.QueryConfig)
      }
      closing.removeEventListener('abort', wake)
    } catch {
      // Reconnects after a pause.
    }
    if (client !== undefined) destroy(client)
    if (!closing.aborted)
      await sleep.after(sleep.now(), backOff(failures++, RETRY_FIRST_MS, RETRY_MOST_MS, random), closing)
  }
}
