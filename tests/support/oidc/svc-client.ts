/** `svc` as a user runs it on their own computer: a separate process with its own home directory. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { program } from '../service/processes.ts'
import { until } from '../until.ts'

export interface SvcRun {
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>
  readonly kill: () => void
}

export interface Computer {
  /** The user's home directory */
  readonly home: string
  /** Path of the credentials file. */
  readonly credentials: string
  readonly run: (...args: readonly string[]) => SvcRun
  /** Runs it to its end. */
  readonly svc: (...args: readonly string[]) => SvcRun['ended']
  readonly read: () => Promise<Record<string, string>>
  /** Sets the remaining seconds of the stored access token; removes it if omitted. */
  readonly age: (secondsLeft?: number) => Promise<void>
  readonly remove: () => Promise<void>
}

/** @param env variables in addition to those that every process has */
export const computer = async (env: Readonly<Record<string, string>> = {}): Promise<Computer> => {
  const home = await mkdtemp(join(tmpdir(), 'svc-client-'))
  const credentials = join(home, 'svc', 'credentials.json')
  const read = async () => JSON.parse(await readFile(credentials, 'utf8')) as Record<string, string>

  const run: Computer['run'] = (...args) => {
    const child = spawn(process.execPath, [...program, ...args], {
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
        HOME: home,
        XDG_CONFIG_HOME: home,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said.out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said.err += chunk))
    return {
      out: () => said.out,
      err: () => said.err,
      ended: new Promise((resolve) => {
        child.once('close', (code, signal) => {
          resolve({ code: code ?? signal ?? 'gone', ...said })
        })
      }),
      kill: () => void child.kill('SIGKILL'),
    }
  }

  return {
    home,
    credentials,
    run,
    svc: (...args) => run(...args).ended,
    read,
    age: async (secondsLeft = -1) => {
      const expiresAt = new Date(Date.now() + secondsLeft * 1000).toISOString()
      await writeFile(credentials, JSON.stringify({ ...(await read()), expiresAt }))
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

/** The first line of JSON that a run has printed. */
export const firstLine = async (run: SvcRun): Promise<Record<string, string>> => {
  await until(() => run.out().includes('\n'), 20_000, `output of svc (${run.err()})`)
  return JSON.parse(run.out().split('\n')[0] ?? '') as Record<string, string>
}
