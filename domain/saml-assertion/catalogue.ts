import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { SamlAssertionEvent } from './events.ts'

export const samlAssertionEvents = {
  'saml_assertion.issued': {
    schema: 1,
    audit: null,
    summary: (_, { target, other }) => `${other} signed in to ${target}`,
    target: (data) => ({ type: 'application', id: data.applicationId }),
    personal: [],
    subject: (data) => data.userId,
    consequences: noConsequences,
  },
} as const satisfies Rows<SamlAssertionEvent>
