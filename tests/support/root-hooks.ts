/** Loaded by mocha (`--require`): prepares every test process, and stops what it started. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { stopTestPostgres } from './service/postgres.ts'
import { SEED } from './random.ts'

/** Property tests use the same values in each run; `npm run campaign -- suite` uses others. */
fc.configureGlobal({ seed: SEED })

/**
 * The tested service serves the current browser scripts, not those of an earlier build; `npm test` has built them for
 * all its processes.
 */
export const mochaGlobalSetup = async (): Promise<void> => {
  if (process.env['SVC_TEST_BUNDLED'] === '1') return
  const script = fileURLToPath(new URL('../../infra/bundle.mjs', import.meta.url))
  await promisify(execFile)(process.execPath, [script])
}

export const mochaHooks = {
  afterAll: async function (this: Mocha.Context): Promise<void> {
    this.timeout(60_000)
    await stopTestPostgres()
  },
}
