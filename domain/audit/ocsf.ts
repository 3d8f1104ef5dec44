/**
 * Converts audit entries and sign-in events to OCSF events (https://schema.ocsf.io/1.8.0). Fields without a
 * place in the schema go to `unmapped`, under our own names, so that nothing is lost.
 */
import { own } from '../own.ts'
import type { Id } from '../ids.ts'
import type { SignInAttempt } from '../sign-in/events.ts'
import type { AuditEntry } from './entry.ts'
import { ocsfKindOf } from './ocsf-actions.ts'
import {
  activityNumber,
  authentication,
  category,
  classes,
  OCSF_VERSION,
  severities,
  type OcsfKind,
} from './ocsf-classes.ts'

/** Where the events come from. */
export interface OcsfSource {
  /** Program version. */
  readonly version: string
  /** The public address. */
  readonly url: string
}

export interface OcsfEvent extends Readonly<Record<string, unknown>> {
  readonly class_uid: number
  readonly activity_id: number
  readonly type_uid: number
  /** Milliseconds since 1970 */
  readonly time: number
}

type Entry = AuditEntry & {
  readonly id: Id<'auditEvent'>
  readonly position: string
  readonly hash: string
}

/** A sign-in attempt as API readers see it. */
export interface SignInEntry extends Omit<SignInAttempt, 'signInId' | 'decision' | 'risks'> {
  readonly id: string
  /** RFC 3339 */
  readonly time: string
  readonly correlationId: string
}

const PRODUCT = 'Identity service'
const states = { Success: 1, Failure: 2, Other: 99 } as const

const userTypes = { User: 1, Admin: 2, System: 3, Service: 4 } as const
const user = (
  { uid, name, email }: { uid: string | null; name?: string | null; email?: string | null },
  type: keyof typeof userTypes = 'User',
) => ({
  ...(uid === null ? {} : { uid }),
  ...((name ?? null) === null ? {} : { name }),
  ...((email ?? null) === null ? {} : { email_addr: email }),
  type,
  type_id: userTypes[type],
})

/** Resource types in the schema; others keep our own name. */
const entityTypes: Readonly<Record<string, readonly [number, string]>> = {
  device: [1, 'Device'],
  user: [2, 'User'],
  service_account: [2, 'User'],
  group: [3, 'Group'],
  organization: [4, 'Organization'],
}

const head = (
  kind: OcsfKind,
  status: keyof typeof states,
  { time, message }: { readonly time: string; readonly message: string },
): OcsfEvent => {
  const { uid, name } = classes[kind.class]
  const activity = activityNumber(kind)
  return {
    category_uid: category.uid,
    category_name: category.name,
    class_uid: uid,
    class_name: name,
    activity_id: activity,
    activity_name: kind.activity,
    type_uid: uid * 100 + activity,
    type_name: `${name}: ${kind.activity}`,
    severity_id: severities[kind.severity],
    severity: kind.severity,
    status_id: states[status],
    status,
    time: Date.parse(time),
    message,
  }
}

const metadataOf = (
  source: OcsfSource,
  record: { readonly id: string; readonly code: string; readonly time: string; readonly log: string },
  correlationId: string,
) => ({
  version: OCSF_VERSION,
  uid: record.id,
  event_code: record.code,
  correlation_uid: correlationId,
  log_name: record.log,
  original_time: record.time,
  product: { name: PRODUCT, vendor_name: PRODUCT, version: source.version, url_string: source.url },
})

const origin = ({ ip, userAgent }: Pick<AuditEntry, 'ip' | 'userAgent'>) => ({
  ...(ip === null ? {} : { src_endpoint: { ip } }),
  ...(userAgent === null ? {} : { http_request: { user_agent: userAgent } }),
})

const actorOf = ({ actorId, actorType, actorName, credential }: Entry) => {
  if (actorId === null) return { app_name: PRODUCT, user: user({ uid: null, name: PRODUCT }, 'System') }
  const isSession = credential.type === 'session'
  return {
    user: {
      ...user({ uid: actorId, name: actorName }, actorType === 'service_account' ? 'Service' : 'User'),
      ...(isSession || credential.id === null ? {} : { credential_uid: credential.id }),
    },
    ...(isSession && credential.id !== null ? { session: { uid: credential.id } } : {}),
  }
}

const targetOf = ({ targetId, target }: Entry) => ({ uid: targetId, name: target })
const otherOf = ({ otherId, other }: Entry) => ({ uid: otherId ?? '', name: other ?? otherId ?? '' })

/** The user or service account that an entry is about: its target or the other party. */
const personOf = (entry: Entry) => {
  if (entry.targetType === 'user') return user(targetOf(entry))
  if (entry.targetType === 'service_account') return user(targetOf(entry), 'Service')
  // No user is involved in a token that an application got for itself.
  if (entry.otherId === null) return user(targetOf(entry), 'Service')
  return user(otherOf(entry))
}

const listed = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** Privileges that were granted or removed: roles if these changed, otherwise the subject of the entry. */
const privilegesOf = (entry: Entry, kind: OcsfKind): readonly [OcsfKind, readonly string[]] => {
  const roles = entry.changes.find(({ field }) => field === 'roles')
  if (roles === undefined) return [kind, [entry.target]]
  const [from, to] = [listed(roles.from), listed(roles.to)]
  const added = to.filter((role) => !from.includes(role))
  if (added.length > 0) return [kind, added]
  return [{ ...kind, activity: 'Revoke Privileges' }, from.filter((role) => !to.includes(role))]
}

/** The attributes that are specific to the class. */
const ofClass = (entry: Entry, kind: OcsfKind): readonly [OcsfKind, Readonly<Record<string, unknown>>] => {
  const { targetType } = entry
  const thing = targetOf(entry)
  switch (kind.class) {
    case 'account':
      return [kind, { user: personOf(entry) }]
    case 'authentication': {
      const service = targetType === 'application' ? thing : { name: PRODUCT }
      const session = targetType === 'session' ? { session: { uid: thing.uid } } : {}
      return [kind, { user: personOf(entry), service, ...session }]
    }
    case 'entity': {
      const [type_id, type] = own(entityTypes, targetType) ?? [99, targetType]
      return [kind, { entity: { ...thing, type_id, type } }]
    }
    case 'access': {
      const [really, privileges] = privilegesOf(entry, kind)
      const resource = targetType === 'user' ? {} : { resources: [{ ...thing, type: targetType }] }
      return [really, { user: personOf(entry), privileges, ...resource }]
    }
    case 'group':
      return [
        kind,
        targetType === 'group'
          ? { group: thing, ...(entry.otherId === null ? {} : { user: user(otherOf(entry)) }) }
          : { group: otherOf(entry), privileges: ['sign_in'], resource: { ...thing, type: targetType } },
      ]
  }
}

/** Converts an audit entry to OCSF. */
export const ocsfOfEntry = (entry: Entry, source: OcsfSource): OcsfEvent => {
  const [kind, own] = ofClass(entry, ocsfKindOf(entry.action))
  const { id, time, action, summary, correlationId, changes, outcome } = entry
  const { actorType, credential, causationId, position, hash, targetType, targetId, target, otherId } = entry
  return {
    ...head(kind, outcome === 'denied' || kind.failed ? 'Failure' : 'Success', { time, message: summary }),
    metadata: metadataOf(source, { id, code: action, time, log: 'audit' }, correlationId),
    actor: actorOf(entry),
    ...origin(entry),
    ...own,
    unmapped: {
      ...{ actorType, credential, targetType, targetId, target, otherId },
      ...{ outcome, changes, causationId, position, hash },
    },
  }
}

/** Authentication factors by sign-in method, with the numbers of the schema. */
const factors: Readonly<Record<string, readonly [number, string]>> = {
  passkey: [10, 'WebAuthn'],
  security_key: [10, 'WebAuthn'],
  authenticator_code: [7, 'OTP'],
  magic_link: [8, 'Email'],
}

const results = { success: 'Success', failure: 'Failure', interrupted: 'Other' } as const

const messages = {
  success: 'Signed in',
  failure: 'Failed to sign in',
  interrupted: 'Did not finish signing in',
} as const

/** Converts a sign-in attempt to OCSF: class Authentication, activity Logon. */
export const ocsfOfSignIn = (attempt: SignInEntry, source: OcsfSource): OcsfEvent => {
  const { id, time, userId, email, appId, result, method, reason, amr, sessionId } = attempt
  const { deviceId, device, location, risk, correlationId } = attempt
  const factor = own(factors, method ?? '')
  const person = user({ uid: userId, name: email, email })
  return {
    ...head(authentication('Logon', result === 'success' ? {} : { severity: 'Low' }), results[result], {
      time,
      message: reason === null ? messages[result] : `${messages[result]}: ${reason.replaceAll('_', ' ')}`,
    }),
    ...(reason === null ? {} : { status_code: reason, status_detail: reason.replaceAll('_', ' ') }),
    metadata: metadataOf(source, { id, code: `sign_in.${result}`, time, log: 'sign-ins' }, correlationId),
    actor: userId === null ? { app_name: PRODUCT } : { user: person },
    // The schema requires a name, an id or an account of the user; an unknown user has none.
    user: userId === null && email === null ? { ...person, name: 'unknown' } : person,
    service: appId === null ? { name: PRODUCT } : { uid: appId, name: appId },
    is_mfa: amr.includes('mfa'),
    is_remote: true,
    ...(factor === undefined
      ? {}
      : { auth_factors: [{ factor_type_id: factor[0], factor_type: factor[1] }] }),
    ...(sessionId === null ? {} : { session: { uid: sessionId } }),
    ...origin(attempt),
    unmapped: { method, amr, risk, reason, device, deviceId, location, appId },
  }
}
