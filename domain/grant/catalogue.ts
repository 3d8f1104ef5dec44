import { authentication, high } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { GrantEvent } from './events.ts'

const application = (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId })
const person = (data: { userId: string | null }) => data.userId

const reuse = { code_reused: 'a code', refresh_token_reused: 'a refresh token' } as const

export const grantEvents = {
  'grant.issued': {
    schema: 2,
    audit: null,
    summary: (_, { target, other }) => `${other} signed in to ${target}`,
    target: application,
    personal: [],
    subject: person,
    upcast: { 1: (data) => ({ ...data, apiResourceIds: [], grantType: 'authorization_code' }) },
    consequences: noConsequences,
  },
  'grant.refreshed': {
    schema: 1,
    audit: null,
    summary: (_, { target, other }) => `Renewed the tokens of ${other} at ${target}`,
    target: application,
    personal: [],
    subject: person,
    consequences: noConsequences,
  },
  'grant.revoked': {
    schema: 1,
    audit: ({ reason }) => (reason === 'revoked' ? 'token.revoke' : 'token.reuse_detected'),
    actions: {
      'token.revoke': authentication('Other'),
      'token.reuse_detected': authentication('Other', high),
    },
    outcome: ({ reason }) => (reason === 'revoked' ? 'success' : 'denied'),
    summary: ({ reason, userId }, { target, other }) =>
      `Revoked ${userId === null ? 'a token' : `the tokens of ${other}`} at ${target}` +
      (reason === 'revoked' ? '' : `: ${reuse[reason]} was used twice`),
    target: application,
    personal: [],
    subject: person,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'grant.all_revoked': {
    schema: 1,
    audit: 'token.revoke',
    ocsf: authentication('Other'),
    summary: (_, { target, other }) => `Revoked all tokens of ${other} at ${target}`,
    target: application,
    personal: [],
    subject: person,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<GrantEvent>
