import type { Config } from './config.ts'
import { startCore, type Core } from './core.ts'
import type { Log } from './log.ts'
import { unreachable } from './once-reachable.ts'
import { migrate } from './migrate.ts'
import { openStorage, type Storage } from './storage.ts'

/**
 * Runs work on the storage without consumers, whether the service runs or not.
 * @throws CliError if a store is unavailable; also errors of `work`
 */
export const withStorage = async <T>(
  config: Config,
  log: Log,
  work: (storage: Storage) => Promise<T>,
): Promise<T> => {
  const storage = await openStorage(config, log, { attach: true })
  try {
    return await work(storage)
  } catch (error) {
    throw unreachable('A store is unavailable', error) ?? error
  } finally {
    await storage.stop()
  }
}

/** Runs work on the core without HTTP, for commands at the server's terminal that make changes. */
export const withCore = (config: Config, log: Log, work: (core: Core) => Promise<void>): Promise<void> =>
  withStorage(config, log, async (storage) => {
    await migrate(storage, log)
    const core = await startCore(storage, config, log)
    try {
      await core.caughtUp()
      await work(core)
    } finally {
      await core.stop()
    }
  })
