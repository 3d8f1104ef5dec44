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

/** What `svc login --admin` stores: a token that acts with the user's roles, and cannot be renewed. */
export type AdminSignIn = Omit<Credentials, 'refreshToken' | 'idToken'>

/** One sign-in, in a file that only its user can read. */
export interface SignInStore<SignIn> {
  readonly path: string
  /**
   * Returns null if no user is signed in.
   * @throws CliError if the file is damaged
   */
  read(): Promise<SignIn | null>
  /** Writes atomically: concurrent readers see either the old or the new file. */
  write(signIn: SignIn): Promise<void>
  remove(): Promise<void>
  /** Runs work that reads and then writes, and excludes other processes meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

export type CredentialStore = SignInStore<Credentials>

const required = ['server', 'clientId', 'accessToken', 'expiresAt', 'userId', 'email'] as const

const parsed = <SignIn>(text: string, fields: readonly string[]): SignIn | null => {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null
    return value !== null && fields.every((name) => typeof value[name] === 'string')
      ? (value as unknown as SignIn)
      : null
  } catch {
    return null
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const signInStore = <SignIn>(dir: string, name: string, fields: readonly string[]): SignInStore<SignIn> => {
  const path = join(dir, `${name}.json`)
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
      const signIn = parsed<SignIn>(text, fields)
      if (signIn === null)
        throw new CliError(exitCodes.error, `${path} is damaged. Run "svc logout", then sign in again.`)
      return signIn
    },

    write: async (signIn) => {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const next = `${path}.${randomUUID()}`
      try {
        const file = await open(next, 'wx', 0o600)
        try {
          await file.writeFile(`${JSON.stringify(signIn, null, 2)}\n`)
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

    alone: (work) => underLock(join(dir, `${name}.lock`), work),
  }
}

/** @param dir created if missing, accessible only to this user */
export const credentialStore = (dir: string): CredentialStore =>
  signInStore(dir, 'credentials', [...required, 'refreshToken'])

/** @param dir as for {@link credentialStore} */
export const adminSignInStore = (dir: string): SignInStore<AdminSignIn> => signInStore(dir, 'admin', required)
