import { apiRoutes } from '../../../adapters/inbound/api/routes.ts'
import type { Services } from '../../../adapters/application/services/services.ts'
import type { Route } from '../../../adapters/inbound/http/route.ts'

/** The declarations of all routes of a service, not to be called. */
export const declaredRoutes = (services: Services): readonly Route[] =>
  apiRoutes(services, () => Promise.reject(new Error('only the declarations are used')))
