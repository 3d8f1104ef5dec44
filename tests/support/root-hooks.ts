/** Loaded by mocha (`--require`): ends what the test process started. */
import { stopTestPostgres } from './postgres.ts'

export const mochaHooks = {
  afterAll: async function (this: Mocha.Context): Promise<void> {
    this.timeout(60_000)
    await stopTestPostgres()
  },
}
