import { expect } from 'chai'
import { generateSync } from 'otplib'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'
import { until } from '../until.ts'

const PERIOD_MS = 30_000

/** The service accepts the codes of three time steps: none of them may end between two lines of a test. */
export const calmStep = (): Promise<void> =>
  until(() => PERIOD_MS - (Date.now() % PERIOD_MS) > 8000, 10_000, 'a new time step')

/** The code that an app shows this many steps from now, from another library than the service's. */
export const codeAt = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor((Date.now() + steps * PERIOD_MS) / 1000) })

/** Six digits that are not among the codes valid now. */
export const wrongCode = (secret?: string): string => {
  const right = secret === undefined ? [] : [-2, -1, 0, 1, 2].map((steps) => codeAt(secret, steps))
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? ''
  )
}

/**
 * A user whose only sign-in method is an authenticator app; the codes of the current and the next time step are
 * unused.
 */
export interface AppPerson extends TestPerson {
  readonly secret: string
  readonly methodId: string
  readonly recoveryCodes: readonly string[]
}

let made = 0

export const invitation = async (service: TestService, email = `app${String(++made)}@example.com`) => {
  const { userId, enrollUrl } = await userCommands(service.core.services).invite(
    { profile: { name: 'Ada Lovelace', email }, source: 'local' },
    system,
  )
  return { userId, email, path: `/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}` }
}

/** The `Cookie` header of a browser that had those cookies and received this response. */
export const cookieOf = (headers: Headers, before = ''): string => {
  const pairs = [
    ...before.split('; '),
    ...headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? ''),
  ]
  const jar = new Map(pairs.filter((pair) => pair !== '').map((pair) => [pair.split('=', 1)[0], pair]))
  return [...jar.values()].join('; ')
}

export const appPerson = async (service: TestService, email?: string): Promise<AppPerson> => {
  await calmStep()
  const { userId, email: address, path } = await invitation(service, email)
  const { body } = await service.api('POST', `${path}/authenticator`)
  const secret = String(body.secret)
  const answer = await service.api('POST', `${path}/authenticator/verify`, {
    body: { ceremonyId: body.ceremonyId, code: codeAt(secret, -1) },
  })
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
  const cookie = cookieOf(answer.headers)
  const person = { userId, email: address, cookie, sessionId: '' }
  const { body: sessions } = await service.api('GET', '/me/sessions', { as: person })
  const { body: methods } = await service.api('GET', '/me/methods', { as: person })
  return {
    ...person,
    sessionId: sessions[0].id,
    secret,
    methodId: methods[0].id,
    recoveryCodes: answer.body.recoveryCodes,
  }
}

/** A user with an authenticator app, and the `Cookie` header that identifies the browser in which they enrolled. */
export const enrolledDevice = async (service: TestService): Promise<AppPerson & { device: string }> => {
  const person = await appPerson(service)
  const device = person.cookie.split('; ').find((pair) => /^(?:__Host-)?svc_device=/.test(pair))
  return { ...person, device: device ?? expect.fail('no device cookie') }
}

export interface RecordedAttempt {
  readonly userId: string | null
  readonly result: string
  readonly method: string | null
  readonly reason: string | null
}

/** Sign-in attempts in the log, oldest first. */
export const attempts = async (service: TestService): Promise<readonly RecordedAttempt[]> => {
  const all: RecordedAttempt[] = []
  for (let after = ''; ;) {
    const page = await service.core.eventLog.readAll(after as never, 1000)
    for (const { type, data } of page)
      if (type === 'sign_in.recorded') all.push(data as unknown as RecordedAttempt)
    const last = page.at(-1)
    if (last === undefined) return all
    after = last.position
  }
}

/** Reasons of the failed attempts of one user, oldest first. */
export const failuresOf = async (service: TestService, userId: string | null): Promise<readonly unknown[]> =>
  (await attempts(service))
    .filter((attempt) => attempt.userId === userId && attempt.result === 'failure')
    .map(({ reason }) => reason)

/** Moves the sign-in of a session this many minutes into the past. */
export const ageSignIn = async ({ core }: TestService, sessionId: string, minutes: number): Promise<void> => {
  await core.services.pool.query(
    'update sessions set auth_time = auth_time - make_interval(mins => $2) where id = $1',
    [sessionId, minutes],
  )
}
