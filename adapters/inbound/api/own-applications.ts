import { groupsOf } from '../../../read-models/queries/account.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { samlLaunchUrl } from '../saml/metadata.ts'

/** Returns the address for using an application; an address set by an administrator takes precedence. */
export const launchAddress = (
  { id, protocol, settings }: ApplicationConfiguration,
  publicUrl: string,
): string | undefined =>
  settings.launchUrl ?? (protocol === 'saml' ? samlLaunchUrl(publicUrl, id) : undefined)

/** Applications that act for themselves have no users. */
const hasUsers = (application: ApplicationConfiguration): boolean =>
  application.protocol !== 'oidc' || application.type !== 'service'

/** Returns the applications that are assigned to the user's groups and visible in the portal, by name. */
export const ownApplications =
  ({ pool, clock, configuration }: Pick<Services, 'pool' | 'clock' | 'configuration'>) =>
  async (userId: string): Promise<readonly ApplicationConfiguration[]> => {
    const [groups, { applicationById }] = await Promise.all([
      groupsOf(pool, userId, clock.now()),
      configuration.fresh(),
    ])
    const mine = new Set(groups.map(({ id }) => id))
    return [...applicationById.values()]
      .filter(
        (application) =>
          application.status === 'active' &&
          application.settings.visibleInPortal &&
          hasUsers(application) &&
          application.groupIds.some((id) => mine.has(id)),
      )
      .sort((a, b) => a.name.localeCompare(b.name))
  }
