import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { SignInEvent } from './events.ts'

const outcomes = {
  success: 'Signed in',
  failure: 'Failed to sign in',
  interrupted: 'Did not finish signing in',
}

/** The break-glass account came later than the facts of decisions. */
const withBreakGlass = (decision: unknown): unknown => {
  if (typeof decision !== 'object' || decision === null || !('facts' in decision)) return decision
  return { ...decision, facts: { isBreakGlass: false, ...(decision.facts as object) } }
}

export const signInEvents = {
  'sign_in.recorded': {
    schema: 4,
    upcast: {
      1: (data) => ({ ...data, decision: null }),
      2: ({ decision, ...data }) => ({ ...data, risks: [], decision: withBreakGlass(decision) }),
      3: (data) => ({ ...data, identityProviderId: null }),
    },
    // Sign-in events are a separate feed besides the audit trail.
    audit: null,
    summary: ({ result }) => outcomes[result],
    target: ({ signInId }) => ({ type: 'sign_in', id: signInId }),
    personal: ['email', 'ip', 'location', 'device', 'userAgent', 'risks'],
    subject: ({ userId }) => userId,
    consequences: noConsequences,
  },
} as const satisfies Rows<SignInEvent>
