import type { Services } from '../commands/deps.ts'
import type { Route } from '../http/route.ts'

/** Every route of the JSON API. */
export const apiRoutes = (_services: Services): readonly Route[] => []
