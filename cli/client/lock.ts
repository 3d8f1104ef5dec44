/**
 * A lock between processes of one user: a file that only one of them can create. A lock is removed if its process has
 * died or has held it for longer than any work takes.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CliError, exitCodes } from '../server/exit-codes.ts'

/** Longer than the requests that are sent under the lock can take together. */
const HELD_AT_MOST_MS = 60_000
/** Removing an abandoned lock takes only a moment. */
const REMOVAL_AT_MOST_MS = 10_000
const WAIT_AT_MOST_MS = 2 * HELD_AT_MOST_MS
const LOOK_EVERY_MS = 25

interface Holder {
  readonly pid: number
  readonly host: string
  readonly id: string
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code

/** Whether this call created the file. */
const created = async (path: string, text: string): Promise<boolean> => {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const removed = async (path: string): Promise<void> => {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
}

const ageOf = async (path: string): Promise<number> => {
  try {
    return Date.now() - (await stat(path)).mtimeMs
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}

const holderOf = async (path: string): Promise<Holder | null> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    // The file is missing or incomplete; its age decides.
    return null
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

const isAbandoned = async (path: string): Promise<boolean> => {
  if ((await ageOf(path)) > HELD_AT_MOST_MS) return true
  const holder = await holderOf(path)
  return holder !== null && holder.host === hostname() && !isRunning(holder.pid)
}

/**
 * One of several waiting processes removes an abandoned lock, after checking again: it may have a new holder
 * by then.
 */
const removeAbandoned = async (path: string): Promise<void> => {
  const removal = `${path}.removal`
  if (!(await created(removal, ''))) {
    if ((await ageOf(removal)) > REMOVAL_AT_MOST_MS) await removed(removal)
    return
  }
  try {
    if (await isAbandoned(path)) await removed(path)
  } finally {
    await removed(removal)
  }
}

/**
 * Runs work while no other process of this user holds the lock of the same path.
 * @throws CliError if the lock cannot be taken
 */
export const underLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const holder: Holder = { pid: process.pid, host: hostname(), id: randomUUID() }
  for (const until = Date.now() + WAIT_AT_MOST_MS; !(await created(path, JSON.stringify(holder)));) {
    if (Date.now() > until)
      throw new CliError(
        exitCodes.error,
        `Another svc process holds ${path}. If no svc process is running, delete this file.`,
      )
    if (await isAbandoned(path)) await removeAbandoned(path)
    else await delay(LOOK_EVERY_MS)
  }
  try {
    return await work()
  } finally {
    // A holder that took too long has lost the lock, and must not remove the next holder's.
    if ((await holderOf(path))?.id === holder.id) await removed(path)
  }
}
