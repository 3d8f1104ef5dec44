import type { Services } from '../commands/deps.ts'
import type { Route } from '../http/route.ts'
import { authRoutes } from './auth.ts'
import { meRoutes } from './me.ts'

/** Every route of the JSON API. */
export const apiRoutes = (services: Services): readonly Route[] => [
  ...authRoutes(services),
  ...meRoutes(services),
]
