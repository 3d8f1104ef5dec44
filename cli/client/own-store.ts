import { homedir } from 'node:os'
import { configDir } from './config-dir.ts'
import {
  adminSignInStore,
  credentialStore,
  type AdminSignIn,
  type CredentialStore,
  type SignInStore,
} from './credentials.ts'

const ownDir = (): string => configDir({ env: process.env, platform: process.platform, homeDir: homedir() })

/** Returns the credentials of the OS user of this process. */
export const ownCredentials = (): CredentialStore => credentialStore(ownDir())

/** Returns the sign-in for administration of the OS user of this process. */
export const ownAdminSignIn = (): SignInStore<AdminSignIn> => adminSignInStore(ownDir())

/** Returns the sign-in for administration at a server; null if there is none that is still valid. */
export const currentAdminSignIn = async (server: string): Promise<AdminSignIn | null> => {
  const signIn = await ownAdminSignIn().read()
  return signIn?.server === server && Date.parse(signIn.expiresAt) > Date.now() ? signIn : null
}
