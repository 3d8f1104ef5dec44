import type { Services } from '../commands/deps.ts'
import type { Route } from '../http/route.ts'
import { apiGrantRoutes } from './api-grants.ts'
import { apiResourceRoutes } from './api-resources.ts'
import { applicationAccessRoutes } from './application-access.ts'
import { applicationSecretRoutes } from './application-secrets.ts'
import { applicationRoutes } from './applications.ts'
import { auditRoutes } from './audit.ts'
import { authRoutes } from './auth.ts'
import { deviceRoutes } from './device.ts'
import { groupMemberRoutes } from './group-members.ts'
import { groupRoutes } from './groups.ts'
import { meRoutes } from './me.ts'
import { organizationRoutes } from './organization.ts'
import { sessionRoutes } from './sessions.ts'
import { signingKeyRoutes } from './signing-keys.ts'
import { userActionRoutes } from './user-actions.ts'
import { userRelationRoutes } from './user-relations.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks.ts'

/** Every route of the JSON API, in the order of its document. */
export const apiRoutes = (services: Services): readonly Route[] =>
  [
    organizationRoutes,
    authRoutes,
    deviceRoutes,
    meRoutes,
    userRoutes,
    userActionRoutes,
    userRelationRoutes,
    groupRoutes,
    groupMemberRoutes,
    applicationRoutes,
    applicationAccessRoutes,
    applicationSecretRoutes,
    apiResourceRoutes,
    apiGrantRoutes,
    sessionRoutes,
    auditRoutes,
    signingKeyRoutes,
    webhookRoutes,
  ].flatMap((routesOf) => routesOf(services))
