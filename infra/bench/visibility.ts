import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { startService } from '../../cli/server/service.ts'
import type { Log } from '../../cli/server/log.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import { benchConfig } from './place.ts'

const COMMANDS = 600

/**
 * Measures how long a command takes from its call until the read models show its effect, which is when it returns: one
 * at a time, and 16 in parallel.
 * @returns milliseconds by load
 */
export const appendToVisible = async (
  databaseUrl: string,
  log: Log,
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const service = await startService(await benchConfig(databaseUrl), log)
  const groups = groupCommands(service.core.services)
  const measured = new Map<string, readonly number[]>()
  let n = 0
  for (const atOnce of [1, 16]) {
    const latencies: number[] = []
    const worker = async (): Promise<void> => {
      while (latencies.length < COMMANDS) {
        const started = performance.now()
        await groups.create({ name: `Group ${String(n++)}`, source: 'local' }, systemActor())
        latencies.push(performance.now() - started)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    measured.set(atOnce === 1 ? 'one at a time' : `${String(atOnce)} in flight`, latencies)
  }
  await service.stop()
  return measured
}
