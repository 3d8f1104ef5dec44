import type { Rows } from '../catalogue-row.ts'
import type { GrantEvent } from './events.ts'

const application = (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId })
const person = (data: { userId: string }) => data.userId

export const grantEvents: Rows<GrantEvent> = {
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
}
