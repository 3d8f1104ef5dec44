import { oidcWorld, type OidcWorld } from '../oidc/oidc.ts'
import { freePort, testPlace, testService, type TestService } from './service.ts'

/** Two instances of the service on one database; each learns of the other's changes only from the database. */
export interface ServicePair {
  readonly one: TestService
  readonly two: TestService
  /** Each instance, as applications see it. */
  readonly worlds: readonly [OidcWorld, OidcWorld]
  stop(): Promise<void>
}

export const servicePair = async (): Promise<ServicePair> => {
  const place = await testPlace()
  const one = await testService(place)
  const port = await freePort()
  const second = await testService({
    ...place,
    config: { ...place.config, listen: { host: '127.0.0.1', port } },
  })
  const two = { ...second, publicUrl: `http://localhost:${String(port)}` }
  return {
    one,
    two,
    worlds: [oidcWorld(one), oidcWorld(two)],
    stop: async () => {
      await two.stop()
      await one.stop()
      await place.drop()
    },
  }
}
