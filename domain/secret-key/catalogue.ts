import { entityManagement } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { SecretKeyEvent } from './events.ts'

export const secretKeyEvents = {
  'secret_key.rotated': {
    schema: 1,
    audit: 'system.secret_key.rotate',
    ocsf: entityManagement('Update'),
    summary: () => 'Rotated the secret key',
    target: () => ({ type: 'organization', id: 'organization' }),
    personal: [],
    subject: nobody,
    consequences: noConsequences,
  },
  'secret_key.lost': {
    schema: 1,
    audit: 'system.secret_key.lose',
    ocsf: entityManagement('Update'),
    summary: () => 'Accepted the loss of the secret key: data encrypted with it can no longer be read',
    target: () => ({ type: 'organization', id: 'organization' }),
    personal: [],
    subject: nobody,
    consequences: noConsequences,
  },
} as const satisfies Rows<SecretKeyEvent>
