import type { Rows } from '../catalogue-row.ts'
import type { UserEvent } from './events.ts'

const user = (data: { userId: string }) => ({ type: 'user', id: data.userId })
const method = (data: { methodId: string }) => ({ type: 'method', id: data.methodId })
const person = (data: { userId: string }) => data.userId

export const userEvents: Rows<UserEvent> = {
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
}
