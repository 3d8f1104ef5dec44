import { nobody, type Rows } from '../catalogue-row.ts'
import type { ApiKeyEvent } from './events.ts'

const target = ({ keyId }: { keyId: string }) => ({ type: 'api_key', id: keyId })
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const apiKeyEvents: Rows<ApiKeyEvent> = {
  'api_key.created': {
    ...common,
    audit: 'api_key.create',
    summary: ({ name, scopes }, { other }) =>
      `Created the API key ${name} (${scopes.join(', ')}) for the service account ${other}`,
  },
  'api_key.revoked': {
    ...common,
    audit: 'api_key.revoke',
    summary: ({ cause }, { target: name, other }) =>
      `Revoked the API key ${name} of the service account ${other}${cause === undefined ? '' : ', which was given roles'}`,
  },
  'api_key.expired': {
    ...common,
    audit: 'api_key.expire',
    summary: (_, { target: name, other }) => `The API key ${name} of the service account ${other} expired`,
  },
}
