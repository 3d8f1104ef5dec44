import { readFile, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'

const MEMORY = '/dev/shm'

/** Four test processes fill half a gigabyte together. */
const ENOUGH_BYTES = 3 * 1024 ** 3

/**
 * The folder for data that need not survive: in memory if the machine has plenty. A database is hundreds of files, and a
 * disk takes longer to create and delete them than Postgres takes for everything else.
 */
export const swiftFolder = async (): Promise<string> => ((await isRoomy()) ? MEMORY : tmpdir())

const isRoomy = async (): Promise<boolean> => {
  try {
    // The folder of a cluster may have to contain the programs of Postgres too.
    const mounted = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
    const runsPrograms = mounted.some(
      ([, at, , options = '']) => at === MEMORY && !options.split(',').includes('noexec'),
    )
    const { bavail, bsize } = await statfs(MEMORY)
    return runsPrograms && Math.min(bavail * bsize, freemem()) > ENOUGH_BYTES
  } catch {
    return false
  }
}
