import { execFile } from 'node:child_process'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresUser } from '../../../adapters/engines/postgres/os.ts'
import { openFolder } from './embedded.ts'

const run = promisify(execFile)

export interface LimitedDisk {
  /** An empty folder on the disk that Postgres may use. */
  readonly path: string
  /** Fills the disk. */
  readonly fill: () => Promise<void>
  /** Frees what {@link fill} took. */
  readonly free: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** A file system of this many MiB; null if this process may not mount one. */
export const limitedDisk = async (mebibytes: number): Promise<LimitedDisk | null> => {
  const folder = await openFolder()
  const user = await postgresUser()
  const owner = user === undefined ? '' : `,uid=${String(user.uid)},gid=${String(user.gid)}`
  const options = `size=${String(mebibytes)}m${owner}`
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder.path]).then(
    () => true,
    () => false,
  )
  if (!mounted) {
    await folder.remove()
    return null
  }
  const path = join(folder.path, 'space')
  await mkdir(path)
  if (user !== undefined) await run('chown', [`${String(user.uid)}:${String(user.gid)}`, path])
  const filler = join(folder.path, 'filler')
  return {
    path,
    fill: async () => {
      const file = await open(filler, 'w')
      const page = Buffer.alloc(4096)
      try {
        for (;;) await file.write(page)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler),
    remove: async () => {
      await run('umount', [folder.path])
      await folder.remove()
    },
  }
}
