import { expect } from 'chai'
import { DomainError, errors, type ErrorCode } from '../../domain/errors.ts'
import { accept, refuse } from '../../domain/decider.ts'

/** Statuses and codes as published. */
const published: readonly (readonly [number, readonly string[]])[] = [
  [400, ['ERR_INVALID_JSON', 'ERR_CEREMONY_EXPIRED', 'ERR_REGISTRATION_FAILED']],
  [401, ['ERR_UNAUTHENTICATED', 'ERR_PASSKEY_REJECTED', 'ERR_CODE_MISMATCH', 'ERR_REAUTH_REQUIRED']],
  [
    403,
    ['ERR_FORBIDDEN', 'ERR_CROSS_SITE', 'ERR_ACCOUNT_SUSPENDED', 'ERR_NOT_ASSIGNED', 'ERR_BLOCKED_BY_POLICY'],
  ],
  [403, ['ERR_STRONGER_AUTH_REQUIRED', 'ERR_SELF_APPROVAL', 'ERR_NO_PRINCIPALS']],
  [404, ['ERR_NOT_FOUND', 'ERR_NO_ROUTE', 'ERR_AUTH_REQUEST_EXPIRED', 'ERR_LINK_EXPIRED', 'ERR_DEVICE_CODE']],
  [404, ['ERR_NOT_CONFIGURED']],
  [409, ['ERR_CONFLICT', 'ERR_LAST_METHOD', 'ERR_BUILT_IN']],
  [413, ['ERR_TOO_LARGE']],
  [422, ['ERR_INVALID', 'ERR_NOT_VERIFIED', 'ERR_TOKEN_UNREADABLE']],
  [429, ['ERR_TOO_MANY_ATTEMPTS']],
  [500, ['ERR_INTERNAL']],
  [502, ['ERR_SCIM_CONNECTION']],
]
const codes = Object.keys(errors) as readonly ErrorCode[]

describe('Error codes', () => {
  for (const [status, list] of published)
    for (const code of list)
      it(`API-04 ${code} returns ${String(status)}`, () => {
        expect(errors).to.have.property(code)
        expect(errors[code as ErrorCode].status).to.equal(status)
      })

  it('API-04 follow one naming pattern and have a readable message', () => {
    for (const code of codes) {
      expect(code).to.match(/^ERR_[A-Z_]+$/)
      expect(errors[code].message).to.match(/^[A-Z].*\.$/)
    }
  })

  it('API-04 have their own message or the default one', () => {
    const plain = new DomainError('ERR_NOT_FOUND')
    expect(plain).to.be.instanceOf(Error)
    expect(plain).to.include({
      code: 'ERR_NOT_FOUND',
      name: 'DomainError',
      message: errors.ERR_NOT_FOUND.message,
    })
    expect(plain).not.to.have.property('field')
    expect(new DomainError('ERR_INVALID', 'name: expected text', '/name')).to.include({
      message: 'name: expected text',
      field: '/name',
    })
  })

  it('API-04 appear in error responses without empty members', () => {
    expect(refuse('ERR_CONFLICT')).to.deep.equal({ refusal: { code: 'ERR_CONFLICT' } })
    expect(refuse('ERR_INVALID', 'm', '/f')).to.deep.equal({
      refusal: { code: 'ERR_INVALID', message: 'm', field: '/f' },
    })
    expect(accept()).to.deep.equal({ events: [] })
  })
})
