import type { PolicyFacts } from '../../../domain/policy/evaluate.ts'
import type { SignInDecision } from '../../../domain/sign-in/events.ts'

/** A passkey sign-in to the account pages. */
export const usualFacts: PolicyFacts = {
  applicationId: null,
  groupIds: [],
  roles: [],
  zoneIds: [],
  isBlockedZone: false,
  isBreakGlass: false,
  device: 'registered',
  platform: 'linux',
  risk: 'none',
  methods: ['passkey'],
  authAge: 0,
}

/** The decision without policies. */
export const allowed: SignInDecision = {
  outcome: 'allow',
  wouldBe: 'allow',
  matched: [],
  facts: usualFacts,
  position: '',
}
