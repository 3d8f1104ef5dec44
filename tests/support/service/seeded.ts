import type { Config } from '../../../cli/server/config.ts'
import type { Setting } from './processes.ts'
import { testPlace, testService } from './service.ts'

/** A database with a signed-in administrator, ready for `svc serve`. */
export interface SeededPlace {
  readonly config: Config
  readonly setting: Setting
  /** `Cookie` header of the administrator. */
  readonly cookie: string
  drop(): Promise<void>
}

/** @param databaseUrl an existing database; by default a new one for the test */
export const seededPlace = async (databaseUrl?: string): Promise<SeededPlace> => {
  const place = await testPlace(
    databaseUrl === undefined ? {} : { database: { kind: 'postgres', url: databaseUrl } },
  )
  const service = await testService(place)
  const { cookie } = await service.person({}, ['global_admin'])
  await service.stop()
  const { config, drop } = place
  return {
    config,
    setting: { databaseUrl: databaseUrl ?? place.databaseUrl, secretKey: config.secretKey ?? '' },
    cookie,
    drop,
  }
}
