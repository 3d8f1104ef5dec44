/**
 * Measures the cost of the most expensive anonymous request of each endpoint, compared with an ordinary one, and how
 * long another client waits for a small response during an attack with such requests.
 */
import { sendBytes } from './hostile-send.ts'
import { openEndpoints } from './hostile-requests.ts'
import type { AttackResult, AttackTask, HostileTarget } from './hostile-target.ts'
import { openLane } from './lane.ts'
import { milliseconds, percentile, type Line } from './measure.ts'
import { cpuOf, dismiss, start, nextMessage } from './processes.ts'

const WARM_UP = 5
const TIMES = 20
const ATTACKERS = 8
const ATTACK_SECONDS = Number(process.env['BENCH_HOSTILE_SECONDS'] ?? 10)
/** The targets, in milliseconds. */
const CPU_AIM = 10
const WAIT_AIM = 50

export const hostileRows = async (databaseUrl: string, say: (line: Line) => void): Promise<void> => {
  const own = start('hostile-own', [databaseUrl])
  const attackers = start('hostile-driver')
  try {
    const target = await nextMessage<HostileTarget>(own, 'the service')
    const { port } = target
    /** Returns the milliseconds of the server's CPU for one request, and its status. */
    const costOf = async (bytes: Buffer): Promise<{ cpu: number; status: number }> => {
      let status = 0
      for (let n = 0; n < WARM_UP; n++) status = await sendBytes(port, bytes)
      const before = await cpuOf(own)
      for (let n = 0; n < TIMES; n++) await sendBytes(port, bytes)
      return { cpu: ((await cpuOf(own)) - before) / 1000 / TIMES, status }
    }
    const costly: { readonly cpu: number; readonly bytes: Buffer }[] = []
    for (const { what, ordinary, worst } of openEndpoints(target)) {
      const usual = await costOf(ordinary)
      let most = { name: '', cpu: 0, status: 0, bytes: ordinary }
      for (const [name, bytes] of worst) {
        const cost = await costOf(bytes)
        if (cost.cpu > most.cpu) most = { name, ...cost, bytes }
      }
      costly.push(most)
      say({
        what: `worst of ${what}: ${most.name} (${String(most.status)})`,
        value: milliseconds(most.cpu),
        ratio: `ordinary ${milliseconds(usual.cpu)} (${String(usual.status)})${most.cpu > CPU_AIM ? `, more than ${String(CPU_AIM)} ms` : ''}`,
      })
    }

    const task: AttackTask = {
      port,
      requests: costly
        .sort((a, b) => b.cpu - a.cpu)
        .slice(0, 10)
        .map(({ bytes }) => bytes.toString('base64')),
      atOnce: ATTACKERS,
      seconds: ATTACK_SECONDS,
    }
    const lane = await openLane(port)
    const waits: number[] = []
    const ask = async (): Promise<number> => {
      const began = performance.now()
      const { status } = await lane.send('GET /oauth2/keys HTTP/1.1\r\nHost: localhost\r\n\r\n')
      if (status !== 200) throw new Error(`/oauth2/keys returned ${String(status)}`)
      return performance.now() - began
    }
    const calm: number[] = []
    for (let n = 0; n < 300; n++) calm.push(await ask())
    attackers.send(task)
    let over = false
    const attacked = nextMessage<AttackResult>(attackers, 'the attackers').finally(() => (over = true))
    while (!over) {
      waits.push(await ask())
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const { sent } = await attacked
    lane.close()
    const p99 = percentile(waits, 0.99)
    say({
      what: `/oauth2/keys while ${String(ATTACKERS)} attackers send ${String(Math.round(sent / ATTACK_SECONDS))}/s, p99`,
      value: milliseconds(p99),
      ratio: `p50 ${milliseconds(percentile(waits, 0.5))}, undisturbed p99 ${milliseconds(percentile(calm, 0.99))}${p99 > WAIT_AIM ? `, more than ${String(WAIT_AIM)} ms` : ''}`,
    })
  } finally {
    await dismiss([own, attackers])
  }
}
