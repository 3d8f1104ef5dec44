import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError, exitCodes } from '../server/exit-codes.ts'
import { underLock } from './lock.ts'

/** What `svc login` stores on a user's computer. */
export interface Credentials {
  /** Public address of the service, which is also its issuer */
  readonly server: string
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken: string
  readonly idToken?: string
  /** RFC 3339; when the access token expires */
  readonly expiresAt: string
  readonly userId: string
  readonly email: string
}

export interface CredentialStore {
  readonly path: string
  /**
   * Returns null if no user is signed in.
   * @throws CliError if the file is damaged
   */
  read(): Promise<Credentials | null>
  /** Writes atomically: concurrent readers see either the old or the new file. */
  write(credentials: Credentials): Promise<void>
  remove(): Promise<void>
  /** Runs work that reads and then writes, and excludes other processes meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

const required = [
  'server',
  'clientId',
  'accessToken',
  'refreshToken',
  'expiresAt',
  'userId',
  'email',
] as const

const parsed = (text: string): Credentials | null => {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null
    return value !== null && required.every((name) => typeof value[name] === 'string')
      ? (value as unknown as Credentials)
      : null
  } catch {
    return null
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** @param dir created if missing, accessible only to this user */
export const credentialStore = (dir: string): CredentialStore => {
  const path = join(dir, 'credentials.json')
  return {
    path,

    read: async () => {
      let text: string
      try {
        text = await readFile(path, 'utf8')
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
      const credentials = parsed(text)
      if (credentials === null)
        throw new CliError(exitCodes.error, `${path} is damaged. Run "svc logout", then sign in again.`)
      return credentials
    },

    write: async (credentials) => {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const next = `${path}.${randomUUID()}`
      try {
        const file = await open(next, 'wx', 0o600)
        try {
          await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(next, path)
      } catch (error) {
        await unlink(next).catch(() => undefined)
        throw error
      }
    },

    remove: async () => {
      await unlink(path).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    },

    alone: (work) => underLock(join(dir, 'credentials.lock'), work),
  }
}
