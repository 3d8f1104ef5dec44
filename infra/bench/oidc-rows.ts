import type { ChildProcess } from 'node:child_process'
import { perSecond, type Line } from './measure.ts'
import { dismiss, start, told } from './processes.ts'
import { postgresCpu } from './postgres-cpu.ts'
import {
  CPU_QUESTION,
  operations,
  type DriverResult,
  type DriverTask,
  type Operation,
  type Target,
} from './oidc-target.ts'

const AT_ONCE = 16
const SECONDS = Number(process.env['BENCH_OIDC_SECONDS'] ?? 5)

interface Server {
  readonly child: ChildProcess
  readonly target: Target
  /** Of its database, in milliseconds so far. */
  readonly databaseCpu: () => number
}

const serverOf = async (child: ChildProcess, name: string, databaseCpu: () => number): Promise<Server> => ({
  child,
  target: await told<Target>(child, name),
  databaseCpu,
})

const cpuOf = async ({ child }: Server): Promise<number> => {
  const answer = told<number>(child, 'the server')
  child.send(CPU_QUESTION)
  return answer
}

interface Measured {
  readonly perSecond: number
  /** Milliseconds of the server's process for one. */
  readonly cpu: number
  /** The same of its database. */
  readonly databaseCpu: number
}

const measure = async (server: Server, operation: Operation): Promise<Measured | { notServed: string }> => {
  const driver = start('./oidc-driver.ts')
  const before = await cpuOf(server)
  const databaseBefore = server.databaseCpu()
  const task: DriverTask = { target: server.target, operation, atOnce: AT_ONCE, seconds: SECONDS }
  driver.send(task)
  const result = await told<DriverResult>(driver, 'the load driver')
  if ('notServed' in result) return result
  return {
    perSecond: result.perSecond,
    cpu: ((await cpuOf(server)) - before) / 1000 / result.sent,
    databaseCpu: (server.databaseCpu() - databaseBefore) / result.sent,
  }
}

/**
 * Token operations of the service, durable in Postgres, beside those of npm's `oidc-provider` in memory: one process
 * each, the same load from the same driver, one after the other.
 */
export const oidcRows = async (
  databaseUrl: string,
  databasePid: () => number | undefined,
  signaturesPerSecond: number,
  say: (line: Line) => void,
): Promise<void> => {
  const children = [start('./oidc-own.ts', [databaseUrl]), start('./oidc-peer.ts')] as const
  try {
    const [own, peer] = await Promise.all([
      serverOf(children[0], 'the service', () => postgresCpu(databasePid())),
      serverOf(children[1], 'oidc-provider', () => 0),
    ])
    const only = process.env['BENCH_OIDC_ONLY']
    for (const operation of operations.filter(
      (each) => only === undefined || only.split(',').includes(each),
    )) {
      const ours = await measure(own, operation)
      const theirs = await measure(peer, operation)
      if ('notServed' in theirs) throw new Error(`oidc-provider: ${theirs.notServed}`)
      const what = `${operation}, ${String(AT_ONCE)} in flight`
      const peerSays = `oidc-provider ${perSecond(theirs.perSecond)} at ${theirs.cpu.toFixed(2)} ms of CPU`
      if ('notServed' in ours) say({ what, value: 'not served', ratio: `${peerSays}; ${ours.notServed}` })
      else
        say({
          what,
          value: perSecond(ours.perSecond),
          ratio: [
            `${(ours.perSecond / theirs.perSecond).toFixed(2)} × oidc-provider`,
            `${(ours.perSecond / signaturesPerSecond).toFixed(2)} × bare signatures`,
            `${ours.cpu.toFixed(2)} ms of CPU and ${ours.databaseCpu.toFixed(2)} of Postgres; ${peerSays}`,
          ].join(', '),
        })
    }
  } finally {
    await dismiss(children)
  }
}
