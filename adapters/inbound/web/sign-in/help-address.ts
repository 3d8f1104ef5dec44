import type { OrganizationSettings } from '../../../../domain/organization/events.ts'

/** Where users of the organization ask for help; undefined if it has no support address. */
export const helpAddress = ({ supportEmail }: OrganizationSettings): string | undefined =>
  supportEmail === undefined ? undefined : `mailto:${supportEmail}`
