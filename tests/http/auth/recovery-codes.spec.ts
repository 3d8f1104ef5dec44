import { expect } from 'chai'
import {
  ageSignIn,
  appPerson,
  codeAt,
  cookieOf,
  failuresOf,
  type AppPerson,
} from '../../support/sign-in/authenticator.ts'
import { ageTries } from '../../support/sign-in/code-tries.ts'
import { servicePair } from '../../support/service/service-pair.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('recovery codes over HTTP', function () {
  this.timeout(90_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  const enter = async (email: string, code: string) => {
    const answer = await service.api('POST', '/auth/code', { body: { email, code } })
    return { ...answer, code: answer.body?.error?.code as string | undefined }
  }
  const left = async (as: TestPerson) =>
    (await service.api('GET', '/me/methods/recovery-codes', { as })).body as {
      remaining: number
      generatedAt: string | null
    }
  const nth = ({ recoveryCodes }: Pick<AppPerson, 'recoveryCodes'>, n: number) => recoveryCodes[n] ?? ''

  it('SGN-02 each signs in once, and one fewer is left', async () => {
    const ada = await appPerson(service)
    expect((await left(ada)).remaining).to.equal(10)
    const answer = await enter(ada.email, nth(ada, 0))
    expect([answer.status, answer.body.user?.id]).to.deep.equal([200, ada.userId])
    const me = { ...ada, cookie: cookieOf(answer.headers) }
    const { body: sessions } = await service.api('GET', '/me/sessions', { as: me })
    expect(sessions[0]).to.deep.include({ methods: ['recovery_code'], amr: ['otp'], strength: 'otp' })
    const again = await enter(ada.email, nth(ada, 0))
    expect([again.status, again.code]).to.deep.equal([401, 'ERR_CODE_MISMATCH'])
    expect((await left(ada)).remaining).to.equal(9)
  })

  it('SGN-02 is accepted in every spelling', async () => {
    const ada = await appPerson(service)
    const [a, b, c, d] = ada.recoveryCodes as [string, string, string, string]
    const written = [
      a.toUpperCase(),
      b.replace('-', ''),
      ` ${c.replace('-', ' ')} `,
      d.replaceAll('0', 'O').replaceAll('1', 'l').replace('-', '–'),
    ]
    for (const code of written) expect((await enter(ada.email, code)).status, code).to.equal(200)
  })

  it('SGN-02 of twenty concurrent sign-ins with the same code one succeeds', async () => {
    const reasons = new Set<unknown>()
    // A later request finds no such code; only a concurrent one finds it already used.
    for (let round = 0; round < 5 && !reasons.has('code_reused'); round++) {
      const ada = await appPerson(service)
      const answers = await Promise.all(Array.from({ length: 20 }, () => enter(ada.email, nth(ada, 0))))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      for (const { status } of answers) expect(status).to.be.oneOf([200, 401, 429])
      expect((await left(ada)).remaining).to.equal(9)
      for (const reason of await failuresOf(service, ada.userId)) reasons.add(reason)
    }
    expect([...reasons]).to.include('code_reused')
  })

  it('SGN-02 ID-01 two instances accept a code only once', async () => {
    const pair = await servicePair()
    try {
      const ada = await appPerson(pair.one)
      for (const n of [0, 1, 2]) {
        const answers = await Promise.all(
          [pair.one, pair.two].map((at) =>
            at.api('POST', '/auth/code', {
              body: { email: ada.email, code: nth(ada, n) },
              headers: { Origin: pair.one.publicUrl },
            }),
          ),
        )
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 401])
        await ageTries(pair.one, ada.userId, 1440)
      }
    } finally {
      await pair.stop()
    }
  })

  it('SGN-02 a code of another user is rejected', async () => {
    const [ada, grace] = [await appPerson(service), await appPerson(service)]
    expect((await enter(ada.email, nth(grace, 0))).code).to.equal('ERR_CODE_MISMATCH')
    expect((await enter(grace.email, nth(grace, 0))).status).to.equal(200)
  })

  it('SGN-02 new codes replace the old ones, are shown once, and require a recent sign-in', async () => {
    const ada = await appPerson(service)
    const before = await left(ada)
    await ageSignIn(service, ada.sessionId, 11)
    const make = (as: TestPerson) => service.api('POST', '/me/methods/recovery-codes', { as })
    const stale = await make(ada)
    expect([stale.status, stale.body.error.code]).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
    expect(await left(ada)).to.deep.equal(before)

    const signedIn = await enter(ada.email, codeAt(ada.secret))
    const me = { ...ada, cookie: cookieOf(signedIn.headers) }
    const made = await make(me)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect(made.body.recoveryCodes).to.have.length(10)
    expect(await left(me)).to.deep.equal({ remaining: 10, generatedAt: made.body.generatedAt })
    expect(made.body.generatedAt > (before.generatedAt ?? '')).to.equal(true)
    expect((await enter(ada.email, nth(ada, 0))).code).to.equal('ERR_CODE_MISMATCH')
    expect((await enter(ada.email, nth(made.body, 0))).status).to.equal(200)
  })

  it('SGN-02 API-06 a repeated request returns the same codes', async () => {
    const ada = await appPerson(service)
    const make = () =>
      service.api('POST', '/me/methods/recovery-codes', { as: ada, headers: { 'Idempotency-Key': 'once' } })
    const [first, second] = [await make(), await make()]
    expect(second.body).to.deep.equal(first.body)
    expect((await enter(ada.email, nth(second.body, 3))).status).to.equal(200)
  })

  it('SGN-02 a user without recovery codes can create them in addition to a passkey', async () => {
    const person = await service.person()
    expect(await left(person)).to.deep.equal({ remaining: 0, generatedAt: null })
    const made = await service.api('POST', '/me/methods/recovery-codes', { as: person })
    expect((await enter(person.email, nth(made.body, 0))).status).to.equal(200)
  })

  it('SGN-02 neither the log nor the tables contain a code', async () => {
    const ada = await appPerson(service)
    const events = await service.core.eventLog.readStream(`user-${ada.userId}`)
    const { rows } = await service.core.services.pool.query(
      'select * from recovery_codes where user_id = $1',
      [ada.userId],
    )
    const held = JSON.stringify([events, rows])
    for (const code of ada.recoveryCodes)
      for (const form of [code, code.replace('-', '')]) expect(held).not.to.include(form)
    expect(held).not.to.include(ada.secret)
  })
})
