import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { ApiKeyEvent, ApiKeyOutdated, ApiKeyScope } from './events.ts'

export const DEFAULT_DAYS = 365
export const MAX_CIDRS = 50

export const apiKeyScopes = ['api', 'scim'] as const satisfies readonly ApiKeyScope[]

export interface ApiKeyState {
  readonly status: 'none' | 'usable' | 'revoked' | 'expired'
  readonly serviceAccountId: string
  readonly expiresAt: Instant
}

export type ApiKeyCommand =
  | {
      type: 'create'
      key: Extract<ApiKeyEvent, { type: 'api_key.created' }>['data']
      now: Instant
      /** The latest expiry that the settings allow; null for no limit */
      latest: Instant | null
    }
  | { type: 'revoke'; keyId: string; cause?: ApiKeyOutdated }
  | { type: 'expire'; keyId: string; now: Instant }

const initial: ApiKeyState = { status: 'none', serviceAccountId: '', expiresAt: '' }

const evolve = (state: ApiKeyState, { type, data }: ApiKeyEvent): ApiKeyState => {
  switch (type) {
    case 'api_key.created':
      return { status: 'usable', serviceAccountId: data.serviceAccountId, expiresAt: data.expiresAt }
    case 'api_key.revoked':
      return { ...state, status: 'revoked' }
    case 'api_key.expired':
      return { ...state, status: 'expired' }
  }
}

const create = (
  { key, now, latest }: Extract<ApiKeyCommand, { type: 'create' }>,
  state: ApiKeyState,
): Decision<ApiKeyEvent> => {
  if (state.status !== 'none') return refuse('ERR_CONFLICT')
  if (key.expiresAt <= now)
    return refuse('ERR_INVALID', 'expiresAt: expected a time in the future', '/expiresAt')
  if (latest !== null && key.expiresAt > latest)
    return refuse(
      'ERR_INVALID',
      `expiresAt: expected a time up to ${latest}, the limit of the setting apiKeyMaxDays`,
      '/expiresAt',
    )
  return accept({ type: 'api_key.created', data: key })
}

const decide = (command: ApiKeyCommand, state: ApiKeyState): Decision<ApiKeyEvent> => {
  if (command.type === 'create') return create(command, state)
  const { status, serviceAccountId, expiresAt } = state
  const data = { keyId: command.keyId, serviceAccountId }
  switch (command.type) {
    case 'revoke':
      if (status === 'none') return refuse('ERR_NOT_FOUND')
      // An expired key can also be revoked, so that administrators can be certain that it is unusable.
      if (status === 'revoked') return accept()
      return accept({
        type: 'api_key.revoked',
        data: { ...data, ...(command.cause === undefined ? {} : { cause: command.cause }) },
      })
    case 'expire':
      return status === 'usable' && expiresAt <= command.now
        ? accept({ type: 'api_key.expired', data })
        : accept()
  }
}

export const apiKeyDecider: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = { initial, evolve, decide }

export const apiKeyStream = (keyId: string): string => `api-key-${keyId}`
