/** Real child processes for tests: the service as an operator starts it, and a Postgres that can be killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../adapters/engines/postgres/embedded.ts'
// @ts-expect-error -- plain JavaScript: it runs before TypeScript is installed
import { isBuilt as untypedIsBuilt } from '../../../infra/build.mjs'
import { freePort } from './service.ts'
import { until } from '../until.ts'

const isBuilt = untypedIsBuilt as (root: string) => boolean
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The built program starts in a third of the time; without a current build, the sources run. */
export const program = isBuilt(root)
  ? [join(root, '.build', 'cli', 'main.js')]
  : ['--import', import.meta.resolve('tsx'), join(root, 'cli', 'main.ts')]

export interface Setting {
  readonly databaseUrl: string
  readonly secretKey: string
}

export interface ServeProcess {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  /** Everything it has printed so far, on both streams. */
  readonly output: () => string
  /** Milliseconds from its start until it responded. */
  readonly readyAfter: number
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>
  readonly kill: (signal?: NodeJS.Signals) => Promise<number | string>
}

const environmentOf = (
  { databaseUrl, secretKey }: Setting,
  others: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
  SVC_DATABASE_URL: databaseUrl,
  SVC_SECRET_KEY: secretKey,
  SVC_LOG_FORMAT: 'json',
  SVC_RATE_LIMITS: 'off',
  ...others,
})

/** Runs `svc` with these arguments to its end. */
export const runSvc = async (
  args: readonly string[],
  setting: Setting,
  others: Readonly<Record<string, string>> = {},
): Promise<{ code: number | string; output: string }> => {
  const started = startSvc(args, setting, others)
  return { code: await started.exited, output: started.output() }
}

/** Starts `svc` with these arguments. */
export const startSvc = (
  args: readonly string[],
  setting: Setting,
  others: Readonly<Record<string, string>>,
  release: readonly string[] = program,
) => {
  const child = spawn(process.execPath, [...release, ...args], {
    env: environmentOf(setting, others),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 'gone')
    })
  })
  return { child, exited, output: () => said }
}

/**
 * Starts `svc serve` and waits until `/healthz` responds.
 * @param release the program; by default this one
 * @throws Error with its output if it ends before that
 */
export const serve = async (
  setting: Setting,
  others: Readonly<Record<string, string>> = {},
  release: readonly string[] = program,
): Promise<ServeProcess> => {
  const port = await freePort()
  const began = performance.now()
  const listen = { SVC_LISTEN: `127.0.0.1:${String(port)}` }
  const { child, exited, output } = startSvc(['serve'], setting, { ...listen, ...others }, release)
  const url = `http://127.0.0.1:${String(port)}`
  let over: number | string | null = null
  void exited.then((code) => (over = code))
  await until(
    async () => {
      if (over !== null) throw new Error(`svc serve ended with ${String(over)}: ${output()}`)
      if (!output().includes('Serving ')) return false
      return fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    120_000,
    'svc serve',
  )
  return {
    url,
    port,
    child,
    output,
    readyAfter: Math.round(performance.now() - began),
    exited,
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal)
      return exited
    },
  }
}

/** A separate Postgres, which is restarted on the same port when it dies. */
export interface OwnPostgres extends EmbeddedPostgres {
  /** Signals the server; SIGSTOP and SIGCONT go to each of its processes. */
  readonly signal: (name: NodeJS.Signals) => void
  readonly remove: () => Promise<void>
}

export const ownPostgres = async (): Promise<OwnPostgres> => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-faults-'))
  const server = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
  return {
    ...server,
    signal: (name) => {
      const pid = server.pid()
      if (pid === undefined) return
      const whole = name === 'SIGSTOP' || name === 'SIGCONT'
      const backends = whole ? readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8') : ''
      for (const one of [pid, ...backends.trim().split(' ').filter(Boolean).map(Number)])
        process.kill(one, name)
    },
    remove: async () => {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
