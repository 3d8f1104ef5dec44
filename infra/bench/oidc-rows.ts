import type { ChildProcess } from 'node:child_process'
import { perSecond, type Line } from './measure.ts'
import { cpuOf, dismiss, start, nextMessage } from './processes.ts'
import { postgresCpu } from './postgres-cpu.ts'
import { operations, type DriverResult, type DriverTask, type Operation, type Target } from './oidc-target.ts'

export const AT_ONCE = 16
const SECONDS = Number(process.env['BENCH_OIDC_SECONDS'] ?? 10)
/** Servers take turns, so that changes in the machine's speed affect all of them. */
const ROUNDS = 4

export interface Server {
  readonly child: ChildProcess
  readonly target: Target
  /** Milliseconds that its database has used so far */
  readonly databaseCpu: () => number
}

export const serverOf = async (
  child: ChildProcess,
  name: string,
  databaseCpu: () => number,
): Promise<Server> => ({
  child,
  target: await nextMessage<Target>(child, name),
  databaseCpu,
})

interface Measured {
  readonly perSecond: number
  /** Milliseconds of the server's CPU per operation */
  readonly cpu: number
  /** The same for its database */
  readonly databaseCpu: number
}

interface Round extends Measured {
  readonly sent: number
}

/**
 * Measures one operation.
 * @throws Error if the server does not support it
 */
const measureRound = async (server: Server, operation: Operation): Promise<Round> => {
  const driver = start('oidc-driver')
  const before = await cpuOf(server.child)
  const databaseBefore = server.databaseCpu()
  const task: DriverTask = { target: server.target, operation, atOnce: AT_ONCE, seconds: SECONDS / ROUNDS }
  driver.send(task)
  const result = await nextMessage<DriverResult>(driver, 'the load driver')
  if ('notServed' in result) throw new Error(`${operation}: ${result.notServed}`)
  return {
    ...result,
    cpu: ((await cpuOf(server.child)) - before) / 1000,
    databaseCpu: server.databaseCpu() - databaseBefore,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Measures an operation of several servers in turns. */
export const measure = async (
  servers: readonly Server[],
  operation: Operation,
): Promise<readonly Measured[]> => {
  const rounds: Round[][] = servers.map(() => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, server] of servers.entries()) rounds[at]?.push(await measureRound(server, operation))
  return rounds.map((each) => {
    const sent = sum(each.map((round) => round.sent))
    return {
      perSecond: sum(each.map((round) => round.perSecond)) / ROUNDS,
      cpu: sum(each.map((round) => round.cpu)) / sent,
      databaseCpu: sum(each.map((round) => round.databaseCpu)) / sent,
    }
  })
}

/**
 * Compares token operations of the service, durable in Postgres, with those of npm's `oidc-provider` in memory, and
 * with a server that only signs: one process each, with the same load from the same driver, in turns.
 */
export const oidcRows = async (
  databaseUrl: string,
  databasePid: () => number | undefined,
  signaturesPerSecond: number,
  say: (line: Line) => void,
): Promise<void> => {
  const children = [start('oidc-own', [databaseUrl]), start('oidc-peer'), start('oidc-ceiling')] as const
  try {
    const [own, peer, ceiling] = await Promise.all([
      serverOf(children[0], 'the service', () => postgresCpu(databasePid())),
      serverOf(children[1], 'oidc-provider', () => 0),
      serverOf(children[2], 'the ceiling', () => 0),
    ])
    const [signs] = await measure([ceiling], 'client credentials')
    if (signs !== undefined)
      say({
        what: `HTTP and one signature, nothing else, ${String(AT_ONCE)} in flight`,
        value: perSecond(signs.perSecond),
        ratio: `${(signs.perSecond / signaturesPerSecond).toFixed(2)} × bare signatures, ${signs.cpu.toFixed(2)} ms of CPU`,
      })
    const only = process.env['BENCH_OIDC_ONLY']
    for (const operation of operations.filter(
      (each) => only === undefined || only.split(',').includes(each),
    )) {
      const [ours, theirs] = await measure([own, peer], operation)
      if (ours === undefined || theirs === undefined) continue
      say({
        what: `${operation}, ${String(AT_ONCE)} in flight`,
        value: perSecond(ours.perSecond),
        ratio: [
          `${(ours.perSecond / theirs.perSecond).toFixed(2)} × oidc-provider`,
          `${(ours.perSecond / signaturesPerSecond).toFixed(2)} × bare signatures`,
          `${ours.cpu.toFixed(2)} ms of CPU and ${ours.databaseCpu.toFixed(2)} of Postgres`,
          `oidc-provider ${perSecond(theirs.perSecond)} at ${theirs.cpu.toFixed(2)} ms`,
        ].join(', '),
      })
    }
  } finally {
    await dismiss(children)
  }
}
