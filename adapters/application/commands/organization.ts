import { organizationDecider, organizationStream } from '../../../domain/organization/decider.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Changes the organization's settings; a field that is null is cleared. */
export const updateSettings =
  ({ handle }: Pick<Services, 'handle'>) =>
  (fields: Readonly<Record<string, unknown>>, actor: Actor) =>
    handle(organizationDecider, organizationStream, { type: 'update', fields }, actor)
