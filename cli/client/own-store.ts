import { homedir } from 'node:os'
import { configDir } from './config-dir.ts'
import { credentialStore, type CredentialStore } from './credentials.ts'

/** Returns the credentials of the OS user of this process. */
export const ownCredentials = (): CredentialStore =>
  credentialStore(configDir({ env: process.env, platform: process.platform, homeDir: homedir() }))
