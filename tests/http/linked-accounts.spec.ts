import { expect } from 'chai'
import { newId } from '../../adapters/kernel/ids.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'
import { refusal, startPlace, success, type Json, type Place } from './api/support.ts'
import { system, type TestPerson } from '../support/service/service.ts'

describe('linked accounts', function () {
  this.timeout(60_000)
  let place: Place
  let identityProviderId = ''
  before(async () => {
    place = await startPlace()
    const provider = { type: 'google', name: 'Google', clientId: 'us', clientSecret: 'secret' }
    identityProviderId = success(await place.send('POST', '/identity-providers', provider), 201).id
  })
  after(() => place.service.stop())

  const link = async ({ userId }: TestPerson, email: string | null): Promise<string> => {
    const account = {
      linkId: newId('linkedAccount'),
      identityProviderId,
      subject: `subject of ${String(email)}`,
      email,
    }
    const { handle } = place.service.core.services
    await handle(userDecider, userStream(userId), { type: 'link_account', userId, account }, system)
    return account.linkId
  }

  it('SGN-04 are listed to their user and to administrators, without those of other users', async () => {
    const person = await place.service.person()
    const other = await place.service.person()
    const first = await link(person, 'ada@partner.example')
    await link(other, 'other@partner.example')
    const second = await link(person, null)
    const mine: Json[] = success(await place.as(person)('GET', '/me/linked-accounts'))
    expect(mine.map(({ id }) => id)).to.deep.equal([first, second])
    expect(Object.keys(mine[0]).sort()).to.deep.equal([
      ...['email', 'id', 'identityProviderId', 'lastUsedAt', 'linkedAt', 'providerName'],
    ])
    expect(mine.map(({ email }) => email)).to.deep.equal(['ada@partner.example', null])
    expect(success(await place.send('GET', `/users/${person.userId}/linked-accounts`))).to.deep.equal(mine)
    refusal(await place.as(other)('DELETE', `/me/linked-accounts/${first}`), 404, 'ERR_NOT_FOUND')
  })

  it('SGN-05 can be unlinked after a recent sign-in, except the last sign-in method', async () => {
    const person = await place.service.person()
    const account = await link(person, 'ada@partner.example')
    const [passkey]: Json[] = success(await place.as(person)('GET', '/me/methods'))
    success(await place.as(person)('DELETE', `/me/methods/${String(passkey.id)}`), 204)
    const methods = ['identity_provider'] as const
    const send = place.as(await place.service.signIn(person.userId, person.email, { methods }))
    refusal(await send('DELETE', `/me/linked-accounts/${account}`), 409, 'ERR_LAST_METHOD')
    const second = await link(person, 'ada@other.example')
    success(await send('DELETE', `/me/linked-accounts/${account}`), 204)
    expect(success(await send('GET', '/me/linked-accounts')).map(({ id }: Json) => id)).to.deep.equal([
      second,
    ])
    refusal(await send('DELETE', `/me/linked-accounts/${second}`), 409, 'ERR_LAST_METHOD')
  })

  it('SGN-05 once the last account is unlinked, the last passkey cannot be removed', async () => {
    const person = await place.service.person()
    const send = place.as(person)
    const account = await link(person, 'ada@partner.example')
    success(await send('DELETE', `/me/linked-accounts/${account}`), 204)
    const [passkey]: Json[] = success(await send('GET', '/me/methods'))
    refusal(await send('DELETE', `/me/methods/${String(passkey.id)}`), 409, 'ERR_LAST_METHOD')
  })

  it('SGN-04 administrators can unlink accounts, those of administrators only a global administrator', async () => {
    const person = await place.service.person()
    const auditor = await place.service.person({}, ['auditor'])
    const security = place.as(await place.service.person({}, ['security_admin']))
    const account = await link(person, 'ada@partner.example')
    const theirs = await link(auditor, 'eve@partner.example')
    const path = (who: TestPerson, id: string) => `/users/${who.userId}/linked-accounts/${id}`
    refusal(await security('DELETE', path(auditor, theirs)), 403, 'ERR_FORBIDDEN')
    refusal(await security('DELETE', path(person, theirs)), 404, 'ERR_NOT_FOUND')
    success(await security('DELETE', path(person, account)), 204)
    success(await place.send('DELETE', path(auditor, theirs)), 204)
    expect(success(await place.send('GET', `/users/${person.userId}/linked-accounts`))).to.deep.equal([])
  })
})
