import { Agent, request } from 'node:http'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { SECRET_PURPOSE } from '../../adapters/outbound/webhooks/worker.ts'
import type { Log } from '../../cli/server/log.ts'
import { startService } from '../../cli/server/service.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import { webhookDecider, webhookStream } from '../../domain/webhook/decider.ts'
import { perSecond, ratioTo, throughput, type Line } from './measure.ts'
import { benchConfig } from './place.ts'
import { start, nextMessage } from './processes.ts'

/** Numbers of endpoints, and of events that each of them gets. */
const LOADS = [
  [1, 1000],
  [10, 300],
  [100, 60],
] as const

const startReceiver = async () => {
  const child = start('webhook-receiver')
  const answer = <Told>(): Promise<Told> => nextMessage(child, 'the receiver')
  const { port } = await answer<{ port: number }>()
  return {
    port,
    count: async (): Promise<number> => {
      const answered = answer<{ count: number }>()
      child.send('count')
      return (await answered).count
    },
    stop: () => child.kill(),
  }
}

const post = (agent: Agent, port: number, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    request({ agent, port, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
      answer.resume().once('end', resolve)
    })
      .once('error', reject)
      .end(body)
  })

/**
 * Measures deliveries per second from the first query to the last response, including everything in between: reading
 * the log, encrypting, queueing, claiming, signing, posting and storing results. An organization may have 20
 * endpoints; the benchmark creates more by bypassing that rule.
 */
const deliveries = async (
  databaseUrl: string,
  log: Log,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
  [endpoints, events]: (typeof LOADS)[number],
): Promise<number> => {
  /** Seconds that the clock of the queue is ahead, because new events would be too young to send. */
  let ahead = 0
  const service = await startService(await benchConfig(databaseUrl), log, {
    webhooks: {
      lookEvery: 0.2,
      minimumAge: 600,
      now: () => new Date(Date.now() + ahead * 1000).toISOString(),
    },
  })
  const { handle, vault } = service.core.services
  for (let n = 0; n < endpoints; n++) {
    const webhookId = newId('webhook')
    const fields = { url: `http://127.0.0.1:${String(receiver.port)}/${String(n)}`, events: ['group.create'] }
    const sealedSecret = vault.seal(SECRET_PURPOSE, `whsec_${'a'.repeat(43)}`, webhookId)
    await handle(
      webhookDecider,
      webhookStream(webhookId),
      { type: 'create', webhookId, fields, sealedSecret, others: 0 },
      systemActor(),
    )
  }
  const groups = groupCommands(service.core.services)
  const names = Array.from({ length: events }, (_, n) => `Group ${String(n)}`)
  const worker = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await groups.create({ name, source: 'local' }, systemActor())
  }
  await Promise.all(Array.from({ length: 16 }, worker))

  const before = await receiver.count()
  const started = performance.now()
  ahead = 1200
  while ((await receiver.count()) - before < endpoints * events)
    await new Promise((resolve) => setTimeout(resolve, 5))
  const rate = (endpoints * events) / ((performance.now() - started) / 1000)
  await service.stop()
  return rate
}

/** Compares webhooks with the same requests sent by bare `node:http` over persistent connections. */
export const webhookRows = async (
  databaseUrlOf: (name: string) => Promise<string>,
  log: Log,
  say: (line: Line) => void,
): Promise<void> => {
  const receiver = await startReceiver()
  try {
    for (const load of LOADS) {
      const [endpoints] = load
      const agent = new Agent({ keepAlive: true, maxSockets: endpoints })
      const body = 'a'.repeat(500)
      const bare = await throughput(endpoints, 3, () => post(agent, receiver.port, body))
      agent.destroy()
      const to = `${String(endpoints)} ${endpoints === 1 ? 'endpoint' : 'endpoints'}`
      say({ what: `bare node:http POST, ${String(endpoints)} in flight`, value: perSecond(bare) })
      const rate = await deliveries(await databaseUrlOf(`webhooks_${String(endpoints)}`), log, receiver, load)
      say({
        what: `webhook deliveries to ${to}`,
        value: perSecond(rate),
        ratio: ratioTo(rate, bare, 'bare POST'),
      })
    }
  } finally {
    receiver.stop()
  }
}
