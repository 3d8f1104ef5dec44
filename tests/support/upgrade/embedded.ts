/** Installations with an embedded database, each in its own folder. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { testPlace, type TestPlace } from '../service/service.ts'
import { swiftFolder } from '../service/swift-folder.ts'

/** A folder that the OS user of an embedded database can reach, even if root runs the test. */
export const openFolder = async (): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(await swiftFolder(), 'svc-upgrade-'))
  await chmod(path, 0o711)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A place whose database, log and secret key are in a folder. */
export const embeddedPlace = async (dataDir: string): Promise<TestPlace> => {
  const place = await testPlace()
  return {
    ...place,
    config: {
      ...place.config,
      database: { kind: 'embedded' },
      eventStore: { kind: 'database' },
      eventStorePrefix: '',
      dataDir,
      secretKey: undefined,
    },
  }
}

/** The environment of `svc` with everything in a folder, without the variables of the tests themselves. */
export const embeddedEnvironment = (
  dataDir: string,
  others: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
  SVC_DATA_DIR: dataDir,
  SVC_LOG_LEVEL: 'warn',
  SVC_RATE_LIMITS: 'off',
  ...others,
})
