import { entityManagement, medium } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { DetectedRisk, RiskEvent, RiskType } from './events.ts'

const riskEvent = (data: { riskEventId: string }) => ({ type: 'risk_event', id: data.riskEventId })
const person = (data: { userId: string | null }) => data.userId

/** What is said of a user at risk. */
const phrases: Readonly<Record<Exclude<RiskType, 'code_guessing'>, string>> = {
  impossible_travel: 'sign-ins from two countries within less than the time to travel',
  new_country: 'a sign-in from a new country',
  new_device: 'a sign-in on a new device',
  anonymizer_ip: 'a sign-in from a network that hides its users',
  blocked_zone_attempt: 'a session used from a blocked network zone',
  repeated_failures: 'many failed attempts before a sign-in',
  code_lockout: 'too many wrong codes',
  credential_cloned: 'a passkey that may have been copied',
  token_reuse: 'a token that was used twice',
  user_reported: 'a sign-in that the user does not recognize',
  admin_confirmed: 'a compromise known to an administrator',
  break_glass_used: 'a sign-in to the break-glass account',
}

const detected = (data: DetectedRisk, other: string): string => {
  if (data.riskType !== 'code_guessing') return `Detected a risk for ${other}: ${phrases[data.riskType]}`
  const { wrongCodes, addresses, windowSeconds } = data.detail
  return `Detected code guessing: ${String(wrongCodes)} wrong codes for ${String(addresses)} addresses in ${String(windowSeconds / 60)} minutes`
}

/** The risk of one user, or of all. */
const of = ({ userId }: { userId: string | null }, other: string): string =>
  userId === null ? 'for all users' : `for ${other}`

const plain = { schema: 1, target: riskEvent, subject: person } as const

export const riskEvents = {
  'risk_event.detected': {
    ...plain,
    schema: 2,
    upcast: {
      1: ({ wrongCodes, addresses, networks, windowSeconds, ...data }) => ({
        ...data,
        ...{ signInId: null, sessionId: null, ip: null, location: null },
        detail: { wrongCodes, addresses, networks, windowSeconds },
      }),
    },
    audit: 'risk_event.detect',
    ocsf: entityManagement('Create', medium),
    summary: (data, { other }) => detected(data, other),
    personal: ['ip', 'location', 'detail'],
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: ['new_sign_in', 'break_glass_used'],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'risk_event.remediated': {
    ...plain,
    audit: 'risk_event.remediate',
    ocsf: entityManagement('Update'),
    summary: (_, { other }) => `Ended a risk for ${other}, who signed in with a passkey`,
    personal: [],
    consequences: noConsequences,
  },
  'risk_event.dismissed': {
    ...plain,
    audit: 'risk_event.dismiss',
    ocsf: entityManagement('Update'),
    summary: (data, { other }) => `Dismissed a risk ${of(data, other)}`,
    personal: ['note'],
    consequences: noConsequences,
  },
  'risk_event.confirmed_safe': {
    ...plain,
    audit: 'risk_event.confirm',
    ocsf: entityManagement('Update', medium),
    summary: (data, { other }) => `Confirmed a risk ${of(data, other)} as safe`,
    personal: ['note'],
    consequences: noConsequences,
  },
  'risk_event.confirmed_compromised': {
    ...plain,
    audit: 'risk_event.confirm',
    ocsf: entityManagement('Update', medium),
    summary: (_, { other }) => `Confirmed that the account of ${other} is compromised`,
    personal: ['note'],
    consequences: {
      takesAway: true,
      endsSessions: 'all_of_person',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<RiskEvent>
