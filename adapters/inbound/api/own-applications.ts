import { groupsOf } from '../../../read-models/queries/account.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { samlLaunchUrl } from '../saml/metadata.ts'

/** Where a person goes to use an application; an address that an administrator gave it goes first. */
export const launchAddress = (
  { id, protocol, settings }: ApplicationConfiguration,
  publicUrl: string,
): string | undefined =>
  settings.launchUrl ?? (protocol === 'saml' ? samlLaunchUrl(publicUrl, id) : undefined)

/** The applications that a person's groups are assigned to and that show in the portal, by name. */
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
        ({ status, settings, groupIds }) =>
          status === 'active' && settings.visibleInPortal && groupIds.some((id) => mine.has(id)),
      )
      .sort((a, b) => a.name.localeCompare(b.name))
  }
