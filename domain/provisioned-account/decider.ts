import { accept, type Decider } from '../decider.ts'
import type { ProvisionedAccountEvent } from './events.ts'

/** Notes down what was done already: nothing is left to decide. */
export const provisionedAccountDecider: Decider<null, ProvisionedAccountEvent, ProvisionedAccountEvent> = {
  initial: null,
  evolve: () => null,
  decide: (done) => accept(done),
}

export const provisionedAccountStream = (applicationId: string, userId: string): string =>
  `provisioned_account-${applicationId}:${userId}`
