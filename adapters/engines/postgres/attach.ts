import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { owningProcess, postmasterFile, serverUrl } from './data-folder.ts'

/**
 * The address of the embedded Postgres that another process of this installation runs in a data folder.
 * @returns null when no live process has the folder, or its server is not ready
 */
export const attachEmbeddedPostgres = async (dir: string): Promise<string | null> => {
  if ((await owningProcess(dir)) === null) return null
  const server = await postmasterFile(join(dir, 'cluster'))
  if (server?.status !== 'ready') return null
  const password = (await readFile(join(dir, 'password'), 'utf8')).trim()
  return serverUrl(server, password)
}
