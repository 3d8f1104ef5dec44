import { accept, type Decider } from '../decider.ts'
import type { ProvisionedAccountEvent } from './events.ts'

export interface ProvisionedAccountState {
  /** Whether the account is active in the application, as far as known. */
  readonly active: boolean
}

/** Records completed actions: there is nothing to decide. */
export const provisionedAccountDecider: Decider<
  ProvisionedAccountState,
  ProvisionedAccountEvent,
  ProvisionedAccountEvent
> = {
  initial: { active: false },
  evolve: (_, { type }) => ({ active: type !== 'provisioned_account.deactivated' }),
  decide: (done) => accept(done),
}

export const provisionedAccountStream = (applicationId: string, userId: string): string =>
  `provisioned_account-${applicationId}:${userId}`
