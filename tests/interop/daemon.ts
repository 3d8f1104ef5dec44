/** Third-party programs as child processes during a test. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { until } from '../support/until.ts'

export interface Daemon {
  /** Returns everything that it has printed so far, on both streams */
  readonly output: () => string
  readonly stop: () => Promise<void>
}

/** @throws Error that names what is missing: these tests must not pass by being skipped */
export const requireInstalled = (what: string, paths: readonly string[], packages: string): void => {
  const missing = paths.filter((path) => !existsSync(path))
  if (missing.length > 0)
    throw new Error(
      `${what} is not installed: ${missing.join(', ')} not found. Debian: apt-get install ${packages}`,
    )
}

/**
 * Starts a program and waits until it is ready.
 * @param why returns its log files, for the error
 * @throws Error with its output if it ends before that
 */
export const startDaemon = async (
  program: string,
  args: readonly string[],
  options: {
    readonly ready: () => boolean | Promise<boolean>
    readonly env?: Readonly<Record<string, string>>
    readonly cwd?: string
    readonly why?: () => Promise<string>
    /** Milliseconds until it must be ready; default 30 000 */
    readonly patience?: number
  },
): Promise<Daemon> => {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  let over = false
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      said += error.message
      over = true
      resolve()
    })
    child.once('close', () => {
      over = true
      resolve()
    })
  })
  const stop = async (): Promise<void> => {
    if (!over) child.kill('SIGTERM')
    const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(impatience)
  }
  try {
    await until(
      async () => {
        if (over) throw new Error(`${program} ended: ${said}${(await options.why?.()) ?? ''}`)
        return options.ready()
      },
      options.patience ?? 30_000,
      program,
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { output: () => said, stop }
}

/** Whether an address returns a success. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url, { redirect: 'manual' }).then(
    ({ ok }) => ok,
    () => false,
  )
