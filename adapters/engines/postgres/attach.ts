import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { owningProcess, postmasterFile, serverUrl } from './data-folder.ts'

/**
 * Returns the URL of the embedded Postgres that another process runs in a data folder; null if no live process owns
 * the folder or its server is not ready.
 */
export const attachEmbeddedPostgres = async (dir: string): Promise<string | null> => {
  if ((await owningProcess(dir)) === null) return null
  const server = await postmasterFile(join(dir, 'cluster'))
  if (server?.status !== 'ready') return null
  const password = (await readFile(join(dir, 'password'), 'utf8')).trim()
  return serverUrl(server, password)
}
