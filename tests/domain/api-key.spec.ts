import { apiKeyDecider, type ApiKeyCommand } from '../../domain/api-key/decider.ts'
import type { ApiKeyEvent } from '../../domain/api-key/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const keyId = id('apiKey')
const serviceAccountId = id('user', 7)
const key = {
  keyId,
  serviceAccountId,
  name: 'nightly',
  scopes: ['api'],
  prefix: 'svk_12345678',
  hash: 'hash',
  expiresAt: at(100),
  allowedCidrs: [],
} as const
const create: ApiKeyCommand = { type: 'create', key, now: at(1), latest: null }
const created: ApiKeyEvent = { type: 'api_key.created', data: key }
const revoked: ApiKeyEvent = { type: 'api_key.revoked', data: { keyId, serviceAccountId } }
const expired: ApiKeyEvent = { type: 'api_key.expired', data: { keyId, serviceAccountId } }
const revoke: ApiKeyCommand = { type: 'revoke', keyId }
const expire = (now: string): ApiKeyCommand => ({ type: 'expire', keyId, now })

describe('API key', () => {
  it('ID-02 is created once', () => {
    given(apiKeyDecider).when(create).then(created)
    given(apiKeyDecider, created).when(create).refuses('ERR_CONFLICT')
  })

  it('AUT-02 has an expiry in the future, within the limit of the settings', () => {
    given(apiKeyDecider)
      .when({ ...create, now: at(100) })
      .refuses('ERR_INVALID', /time in the future/, '/expiresAt')
    given(apiKeyDecider)
      .when({ ...create, latest: at(99) })
      .refuses('ERR_INVALID', /apiKeyMaxDays/, '/expiresAt')
    given(apiKeyDecider)
      .when({ ...create, latest: at(100) })
      .then(created)
  })

  it('AUT-02 is revoked once, permanently', () => {
    given(apiKeyDecider).when(revoke).refuses('ERR_NOT_FOUND')
    given(apiKeyDecider, created).when(revoke).then(revoked)
    given(apiKeyDecider, created, revoked).when(revoke).changesNothing()
    given(apiKeyDecider, created, expired).when(revoke).then(revoked)
  })

  it('AUT-02 expires at its time, not before, and only once', () => {
    given(apiKeyDecider)
      .when(expire(at(200)))
      .changesNothing()
    given(apiKeyDecider, created)
      .when(expire(at(99)))
      .changesNothing()
    given(apiKeyDecider, created)
      .when(expire(at(100)))
      .then(expired)
    given(apiKeyDecider, created, expired)
      .when(expire(at(200)))
      .changesNothing()
    given(apiKeyDecider, created, revoked)
      .when(expire(at(200)))
      .changesNothing()
  })
})
