import { accept, refuse, type Decider } from '../decider.ts'
import type { SamlAssertionEvent } from './events.ts'

export interface SamlAssertionCommand {
  readonly type: 'issue'
  readonly assertion: SamlAssertionEvent['data']
}

export interface SamlAssertionState {
  readonly issued: boolean
}

export const samlAssertionDecider: Decider<SamlAssertionState, SamlAssertionCommand, SamlAssertionEvent> = {
  initial: { issued: false },
  evolve: () => ({ issued: true }),
  decide: ({ assertion }, { issued }) =>
    issued ? refuse('ERR_CONFLICT') : accept({ type: 'saml_assertion.issued', data: assertion }),
}

/**
 * One stream for each answered request, so that the log itself prevents a second answer.
 * @param key derived from the request and its issuer; random for IdP-initiated sign-in
 */
export const samlAssertionStream = (key: string): string => `saml_assertion-${key}`
