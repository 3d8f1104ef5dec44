/** What applications are told about an event of the log. */
import type { EventType, Recorded } from '../catalogue.ts'
import type { OwnMethod } from '../user/events.ts'
import { signalTypes } from './event-types.ts'

/** A security event about a user, and the session or device that it concerns. */
export interface Signal {
  /** URI of the event type */
  readonly type: string
  readonly userId: string
  readonly sessionId: string | null
  readonly deviceId: string | null
  /** Members besides those that all events have */
  readonly claims: Readonly<Record<string, unknown>>
}

/** CAEP §3.2.1. */
const credentialTypes: Readonly<Record<OwnMethod['methodType'], string>> = {
  passkey: 'fido2-platform',
  security_key: 'fido2-roaming',
  authenticator_code: 'app',
}

const about = (
  userId: string,
  type: string,
  claims: Signal['claims'] = {},
  deviceId: string | null = null,
): readonly Signal[] => [{ type, userId, sessionId: null, deviceId, claims }]

const credential = (
  userId: string,
  change_type: 'create' | 'delete' | 'revoke' | 'update',
  methodType: OwnMethod['methodType'] | null,
): readonly Signal[] =>
  about(userId, signalTypes.credentialChange, {
    change_type,
    // Required; RFC 8176 has no value for a method of unknown type.
    credential_type: methodType === null ? 'unknown' : credentialTypes[methodType],
  })

const compliance = (userId: string, deviceId: string, isCompliant: boolean): readonly Signal[] => {
  const [current_status, previous_status] = isCompliant
    ? ['compliant', 'not-compliant']
    : ['not-compliant', 'compliant']
  return about(userId, signalTypes.deviceComplianceChange, { current_status, previous_status }, deviceId)
}

/** The event types that become signals, or end sessions of which applications are told. */
export const signallingTypes = [
  ...(['session.ended', 'session.reauthenticated'] as const),
  ...(['user.suspended', 'user.reactivated', 'user.deleted', 'user.sessions_revoked'] as const),
  ...(['user.method_added', 'user.authenticator_added', 'user.method_removed'] as const),
  ...(['user.methods_reset', 'user.recovery_codes_generated'] as const),
  ...(['device.trusted', 'device.untrusted', 'device.blocked', 'device.removed'] as const),
  ...(['risk_event.detected', 'risk_event.confirmed_compromised', 'risk_event.confirmed_safe'] as const),
] as const satisfies readonly EventType[]

export type Signalling = Extract<Recorded, { type: (typeof signallingTypes)[number] }>

const all: ReadonlySet<string> = new Set(signallingTypes)
export const isSignalling = (event: Recorded): event is Signalling => all.has(event.type)

/** Returns the signals of an event, besides those about ended sessions. */
export const signalsOf = ({ type, data }: Signalling): readonly Signal[] => {
  switch (type) {
    case 'user.suspended':
      return about(data.userId, signalTypes.accountDisabled)
    case 'user.reactivated':
      return about(data.userId, signalTypes.accountEnabled)
    case 'user.deleted':
      return about(data.userId, signalTypes.accountPurged)
    case 'user.method_added':
      return credential(data.userId, 'create', data.methodType)
    case 'user.authenticator_added':
      return credential(data.userId, 'create', 'authenticator_code')
    case 'user.method_removed':
      return credential(data.userId, 'delete', data.methodType)
    case 'user.methods_reset':
      return credential(data.userId, 'revoke', null)
    case 'user.recovery_codes_generated':
      return about(data.userId, signalTypes.credentialChange, {
        ...{ change_type: 'update', credential_type: 'pin' },
      })
    case 'device.trusted':
      return compliance(data.userId, data.deviceId, true)
    case 'device.untrusted':
    case 'device.blocked':
    case 'device.removed':
      return compliance(data.userId, data.deviceId, false)
    case 'session.reauthenticated':
      return [
        {
          ...{ type: signalTypes.assuranceLevelChange, userId: data.userId, deviceId: null },
          sessionId: data.sessionId,
          claims: {
            namespace: 'NIST-AAL',
            current_level: data.strength === 'phishing_resistant' ? 'nist-aal2' : 'nist-aal1',
          },
        },
      ]
    case 'risk_event.detected':
      return data.userId === null
        ? []
        : about(data.userId, signalTypes.riskLevelChange, {
            ...{ principal: 'USER', current_level: data.level.toUpperCase() },
            risk_reason: data.riskType.toUpperCase(),
          })
    case 'risk_event.confirmed_compromised':
      return about(data.userId, signalTypes.accountDisabled, { reason: 'hijacking' })
    case 'risk_event.confirmed_safe':
      return data.userId === null
        ? []
        : about(data.userId, signalTypes.riskLevelChange, { principal: 'USER', current_level: 'LOW' })
    case 'session.ended':
    case 'user.sessions_revoked':
      return []
  }
}

/** Who caused an event, as CAEP §2 names it. */
export const initiatorOf = ({ metadata, data }: Signalling): 'admin' | 'user' | 'policy' | 'system' => {
  if (metadata.actorType === 'system') return 'system'
  return metadata.actorId !== null && metadata.actorId === data.userId ? 'user' : 'admin'
}
