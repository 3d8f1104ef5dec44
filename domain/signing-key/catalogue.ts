import { nobody, type Rows } from '../catalogue-row.ts'
import type { SigningKeyEvent } from './events.ts'

export const signingKeyEvents: Rows<SigningKeyEvent> = {
  'signing_key.created': {
    schema: 1,
    audit: null,
    summary: (_, { target }) => `Created the signing key ${target}`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
    personal: [],
    subject: nobody,
  },
  'signing_key.activated': {
    schema: 2,
    audit: 'signing_key.rotate',
    summary: (_, { target }) => `Began to sign with the key ${target}`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
    personal: [],
    subject: nobody,
    upcast: { 1: (data) => ({ ...data, previousRetiresAt: null }) },
  },
  'signing_key.retired': {
    schema: 1,
    audit: 'signing_key.retire',
    summary: (_, { target }) => `Withdrew the signing key ${target} from the key set`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
    personal: [],
    subject: nobody,
  },
}
