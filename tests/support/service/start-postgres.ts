/** Starts an embedded Postgres in the folder given, prints its URL, and runs until it is killed. */
import { startEmbeddedPostgres } from '../../../adapters/engines/postgres/embedded.ts'

const main = async (): Promise<void> => {
  const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log: () => undefined })
  process.stdout.write(`${server.url}\n`)
  setInterval(() => undefined, 1_000)
}
void main()
