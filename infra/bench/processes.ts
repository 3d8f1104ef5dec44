/** Starts separate processes, so that the measured server shares its event loop with nothing else. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Like `npm start`: the default of Node.js 24, which saves a tenth of a server's CPU on older releases. */
const NODE_FLAGS = ['--max-semi-space-size=64']

/**
 * @param script the name of a file beside this one, without its extension
 * @param folder of that file, if it is another copy
 */
export const start = (
  script: string,
  args: readonly string[] = [],
  folder: string | URL = new URL('.', import.meta.url),
): ChildProcess =>
  fork(fileURLToPath(new URL(`${script}${extname(import.meta.url)}`, folder)), args, {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: [...process.execArgv, ...NODE_FLAGS],
  })

/**
 * Returns the next message of a process.
 * @throws Error if it ends without one
 */
export const nextMessage = <T>(child: ChildProcess, what: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const ended = (): void => {
      reject(new Error(`${what} ended without a message`))
    }
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as T)
    })
  })

/** Ends processes that end when they are disconnected. */
export const dismiss = async (children: readonly ChildProcess[]): Promise<void> => {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      if (child.connected) child.disconnect()
      await ended
    }),
  )
}

/** The message that asks a server under test for the microseconds of CPU that it has used so far. */
const CPU_QUESTION = 'cpu'

/** Makes this process a server under test: sends its address, then answers questions about its CPU. */
export const serveAsTarget = <Target extends object>(target: Target): void => {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage()
    if (question === CPU_QUESTION) process.send?.(user + system)
  })
  process.once('disconnect', () => process.exit(0))
  process.send?.(target)
}

/** Returns the microseconds of CPU that a server under test has used so far */
export const cpuOf = (child: ChildProcess): Promise<number> => {
  const answer = nextMessage<number>(child, 'the server')
  child.send(CPU_QUESTION)
  return answer
}
