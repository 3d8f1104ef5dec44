import { organizationDecider, organizationStream } from '../../../domain/organization/decider.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Updates the organization's settings; a null field is cleared. */
export const updateSettings =
  ({ handle }: Pick<Services, 'handle'>) =>
  (fields: Readonly<Record<string, unknown>>, actor: Actor) =>
    handle(organizationDecider, organizationStream, { type: 'update', fields }, actor)
