/**
 * Every event the service can record: one row per type. Audit, webhook types, sealing, retention and the docs are
 * made from it. A type is never renamed and a stored shape never changed: raise `schema` and add an upcast.
 */
import type { ApplicationEvent } from './application/events.ts'
import type { GrantEvent } from './grant/events.ts'
import type { GroupEvent } from './group/events.ts'
import type { MembershipEvent } from './membership/events.ts'
import type { OrganizationEvent } from './organization/events.ts'
import type { SessionEvent } from './session/events.ts'
import type { SigningKeyEvent } from './signing-key/events.ts'
import type { UserEvent } from './user/events.ts'

export type DomainEvent =
  | UserEvent
  | GroupEvent
  | MembershipEvent
  | ApplicationEvent
  | SessionEvent
  | GrantEvent
  | SigningKeyEvent
  | OrganizationEvent

export type EventType = DomainEvent['type']
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>
export type DataOf<T extends EventType> = EventOf<T>['data']

/** How long events are kept: identity and governance for ever, sign-ins and token grants for a while. */
export type RetentionClass = 'permanent' | 'sign_in' | 'token'

/** Names as they were when it happened, for the audit sentence. */
export interface Names {
  readonly target: string
  /** The other party of a two-sided event (the group of a membership), empty where there is none. */
  readonly other: string
}

type Data = Readonly<Record<string, unknown>>

export interface CatalogueRow<T extends EventType = EventType> {
  /** Current version of the data's shape, from 1. */
  readonly schema: number
  /** Audit action (choices of the specification's naming), or null where another event of the command speaks for it. */
  readonly audit: string | null | ((data: DataOf<T>) => string | null)
  /** One English sentence, past tense, without its actor. */
  readonly summary: (data: DataOf<T>, names: Names) => string
  readonly target: (data: DataOf<T>) => { readonly type: string; readonly id: string }
  /** Top-level fields of data that are sealed under the key of the person they are about. */
  readonly personal: readonly (keyof DataOf<T> & string)[]
  /** The person whom the personal fields are about. */
  readonly subject: (data: DataOf<T>) => string | null
  /** Lifts data of version v to v+1. */
  readonly upcast?: Readonly<Record<number, (data: Data) => Data>>
}

const user = (data: { userId: string }) => ({ type: 'user', id: data.userId })
const group = (data: { groupId: string }) => ({ type: 'group', id: data.groupId })
const application = (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId })
const secret = (data: { secretId: string }) => ({ type: 'client_secret', id: data.secretId })
const session = (data: { sessionId: string }) => ({ type: 'session', id: data.sessionId })
const method = (data: { methodId: string }) => ({ type: 'method', id: data.methodId })
const person = (data: { userId: string }) => data.userId
const nobody = () => null

export const catalogue: { readonly [T in EventType]: CatalogueRow<T> } = {
  'user.invited': {
    schema: 1,
    audit: 'user.invite',
    summary: (_, { target }) => `Invited ${target}`,
    target: user,
    personal: ['profile'],
    subject: person,
  },
  'user.enrollment_link_issued': {
    schema: 1,
    audit: ({ resent }) => (resent ? 'user.invite.resend' : null),
    summary: (_, { target }) => `Issued a new enrolment link for ${target}`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.enrollment_link_redeemed': {
    schema: 1,
    audit: null,
    summary: (_, { target }) => `${target} used their enrolment link`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.enrolled': {
    schema: 1,
    audit: 'user.enroll',
    summary: (_, { target }) => `${target} finished enrolment`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.updated': {
    schema: 1,
    audit: 'user.update',
    summary: (_, { target }) => `Updated ${target}`,
    target: user,
    personal: ['changes'],
    subject: person,
  },
  'user.email_changed': {
    schema: 1,
    audit: 'user.email.change',
    summary: (_, { target }) => `Changed the e-mail address of ${target}`,
    target: user,
    personal: ['from', 'to'],
    subject: person,
  },
  'user.email_verified': {
    schema: 1,
    audit: 'user.email.verify',
    summary: (_, { target }) => `Verified the e-mail address of ${target}`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.suspended': {
    schema: 1,
    audit: 'user.suspend',
    summary: (_, { target }) => `Suspended ${target}`,
    target: user,
    personal: ['reason'],
    subject: person,
  },
  'user.reactivated': {
    schema: 1,
    audit: 'user.reactivate',
    summary: (_, { target }) => `Reactivated ${target}`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.deleted': {
    schema: 1,
    audit: 'user.delete',
    summary: (_, { target }) => `Deleted ${target}`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.erased': {
    schema: 1,
    audit: 'user.erase',
    summary: () => 'Erased the personal data of a deleted user',
    target: user,
    personal: [],
    subject: person,
  },
  'user.roles_changed': {
    schema: 1,
    audit: 'user.roles.update',
    summary: ({ roles }, { target }) =>
      roles.length === 0
        ? `Removed every role of ${target}`
        : `Set the roles of ${target} to ${roles.join(', ')}`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.method_added': {
    schema: 1,
    audit: 'method.add',
    summary: ({ methodType }, { other }) => `Added a ${methodType.replace('_', ' ')} to ${other}`,
    target: method,
    personal: ['name'],
    subject: person,
  },
  'user.method_renamed': {
    schema: 1,
    audit: 'method.rename',
    summary: (_, { other }) => `Renamed a sign-in method of ${other}`,
    target: method,
    personal: ['name'],
    subject: person,
  },
  'user.method_removed': {
    schema: 1,
    audit: 'method.remove',
    summary: (_, { other }) => `Removed a sign-in method of ${other}`,
    target: method,
    personal: [],
    subject: person,
  },
  'user.methods_reset': {
    schema: 1,
    audit: 'user.methods.reset',
    summary: (_, { target }) => `Reset the sign-in methods of ${target}`,
    target: user,
    personal: [],
    subject: person,
  },
  'user.sessions_revoked': {
    schema: 1,
    audit: 'session.revoke_all',
    summary: (_, { target }) => `Ended every session of ${target}`,
    target: user,
    personal: [],
    subject: person,
  },
  'group.created': {
    schema: 1,
    audit: 'group.create',
    summary: ({ name }) => `Created the group ${name}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'group.updated': {
    schema: 1,
    audit: 'group.update',
    summary: (_, { target }) => `Updated the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'group.rule_changed': {
    schema: 1,
    audit: 'group.rule.update',
    summary: ({ to }, { target }) => `${to === null ? 'Removed' : 'Set'} the rule of the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'group.deleted': {
    schema: 1,
    audit: 'group.delete',
    summary: (_, { target }) => `Deleted the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'membership.granted': {
    schema: 1,
    audit: 'group.member.add',
    summary: ({ via }, { target, other }) => `Added ${other} to the group ${target} (${via})`,
    target: group,
    personal: [],
    subject: person,
  },
  'membership.expiry_changed': {
    schema: 1,
    audit: 'group.member.add',
    summary: (_, { target, other }) => `Changed how long ${other} is in the group ${target}`,
    target: group,
    personal: [],
    subject: person,
  },
  'membership.withdrawn': {
    schema: 1,
    audit: ({ reason }) => (reason === 'expired' ? 'group.member.expire' : 'group.member.remove'),
    summary: ({ reason }, { target, other }) =>
      `Removed ${other} from the group ${target} (${reason.replaceAll('_', ' ')})`,
    target: group,
    personal: [],
    subject: person,
  },
  'application.created': {
    schema: 1,
    audit: 'application.create',
    summary: ({ fields }) => `Created the application ${fields.name}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.updated': {
    schema: 1,
    audit: 'application.update',
    summary: (_, { target }) => `Updated the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.group_assigned': {
    schema: 1,
    audit: 'application.group.assign',
    summary: (_, { target, other }) => `Assigned the group ${other} to the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.group_unassigned': {
    schema: 1,
    audit: 'application.group.unassign',
    summary: (_, { target, other }) => `Unassigned the group ${other} from the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.secret_created': {
    schema: 1,
    audit: ({ rotation }) => (rotation ? 'application.secret.rotate' : 'application.secret.create'),
    summary: ({ rotation }, { other }) => `${rotation ? 'Rotated' : 'Created'} a client secret of ${other}`,
    target: secret,
    personal: [],
    subject: nobody,
  },
  'application.secret_expiry_changed': {
    schema: 1,
    audit: null,
    summary: (_, { other }) => `Limited the life of a client secret of ${other}`,
    target: secret,
    personal: [],
    subject: nobody,
  },
  'application.secret_revoked': {
    schema: 1,
    audit: 'application.secret.revoke',
    summary: (_, { other }) => `Revoked a client secret of ${other}`,
    target: secret,
    personal: [],
    subject: nobody,
  },
  'application.disabled': {
    schema: 1,
    audit: 'application.disable',
    summary: (_, { target }) => `Disabled the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.enabled': {
    schema: 1,
    audit: 'application.enable',
    summary: (_, { target }) => `Enabled the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.deleted': {
    schema: 1,
    audit: 'application.delete',
    summary: (_, { target }) => `Deleted the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'session.started': {
    schema: 1,
    audit: null,
    summary: (_, { other }) => `${other} signed in`,
    target: session,
    personal: ['ip', 'userAgent'],
    subject: person,
  },
  'session.ended': {
    schema: 1,
    audit: ({ reason }) => (reason === 'admin_revoked' ? 'session.revoke' : 'session.end'),
    summary: ({ reason }, { other }) => `Ended a session of ${other} (${reason.replaceAll('_', ' ')})`,
    target: session,
    personal: [],
    subject: person,
  },
  'grant.issued': {
    schema: 1,
    audit: null,
    summary: (_, { target, other }) => `${other} signed in to ${target}`,
    target: application,
    personal: [],
    subject: person,
  },
  'grant.revoked': {
    schema: 1,
    audit: ({ reason }) => (reason === 'code_reused' ? 'token.reuse_detected' : 'token.revoke'),
    summary: ({ reason }, { target, other }) =>
      `Revoked the tokens of ${other} at ${target}${reason === 'code_reused' ? ': a code was used twice' : ''}`,
    target: application,
    personal: [],
    subject: person,
  },
  'signing_key.created': {
    schema: 1,
    audit: null,
    summary: ({ kid }) => `Created the signing key ${kid}`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
    personal: [],
    subject: nobody,
  },
  'signing_key.activated': {
    schema: 1,
    audit: 'signing_key.rotate',
    summary: ({ keyId }) => `Began to sign with the key ${keyId}`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
    personal: [],
    subject: nobody,
  },
  'organization.updated': {
    schema: 1,
    audit: 'organization.update',
    summary: () => "Updated the organization's settings",
    target: () => ({ type: 'organization', id: 'organization' }),
    personal: [],
    subject: nobody,
  },
}

/** Retention by the category of the stream (its name before the first `-`). */
const retention: Readonly<Record<string, RetentionClass>> = { grant: 'token', session: 'sign_in' }

export const retentionOf = (category: string): RetentionClass => retention[category] ?? 'permanent'

export const isEventType = (type: string): type is EventType => Object.hasOwn(catalogue, type)

/** The row of a type that is known only at run time. Its functions take data of any event. */
export const rowOf = (type: EventType): CatalogueRow => catalogue[type] as unknown as CatalogueRow

/** What is recorded with every event besides its data. */
export interface EventMetadata {
  readonly schema: number
  /** When it was decided; microseconds, never going back within a process. */
  readonly time: string
  /** Null for what the service does by itself. */
  readonly actorId: string | null
  readonly actorType: 'user' | 'service_account' | 'system' | 'cli'
  readonly credential: { readonly type: string; readonly id: string | null }
  readonly ip: string | null
  readonly correlationId: string
  readonly causationId: string | null
}
