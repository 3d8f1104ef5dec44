/** Loaded by mocha (`--require`): what every test process needs before, and the end of what it started. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { stopTestPostgres } from './service/postgres.ts'
import { SEED } from './random.ts'

/** Properties try the same values each time; `npm run campaign -- suite` tries others. */
fc.configureGlobal({ seed: SEED })

/**
 * The service under test serves the browser's scripts as they are now, not as built before; `npm test` has built
 * them for all its processes.
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
