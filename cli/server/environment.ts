import { homedir } from 'node:os'
import { readConfig, type Config } from './config.ts'
import type { Log } from './log.ts'
import { createLogger } from './logger.ts'
import { projectDir } from '../../adapters/kernel/project.ts'
import pino from 'pino'

/**
 * Returns the configuration of this process and its logger.
 * @throws CliError listing every problem
 */
export const fromEnvironment = (): { config: Config; log: Log } => {
  const config = readConfig(process.env, {
    projectDir: projectDir(),
    homeDir: homedir(),
    isTerminal: process.stdout.isTTY,
  })
  return { config, log: createLogger(config.log, pino.destination({ fd: 2, sync: true })) }
}
