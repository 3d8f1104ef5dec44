import { nobody, type Rows } from '../catalogue-row.ts'
import type { SecretKeyEvent } from './events.ts'

export const secretKeyEvents: Rows<SecretKeyEvent> = {
  'secret_key.lost': {
    schema: 1,
    audit: 'system.secret_key.lose',
    summary: () => 'Accepted the loss of the secret key: what it sealed cannot be read any more',
    target: () => ({ type: 'organization', id: 'organization' }),
    personal: [],
    subject: nobody,
  },
}
