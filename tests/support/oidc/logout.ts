import { expect } from 'chai'
import { sessionMoment } from '../../../adapters/application/services/moment.ts'
import { findSession } from '../../../read-models/queries/sessions.ts'
import { basic, oidcWorld, type TestApplication } from './oidc.ts'
import type { TestPerson, TestService } from '../service/service.ts'

/** A registered address to redirect to after signing out. */
export const OUT = 'https://app.example.com/signed-out'
export const logoutSettings = {
  postLogoutRedirectUris: [OUT],
  redirectUris: ['https://app.example.com/callback'],
}

/** An application, a user signed in to it, and the tokens that it got. */
export interface SignedIn {
  readonly app: TestApplication
  readonly person: TestPerson
  readonly idToken: string
  readonly accessToken: string
  readonly refreshToken: string
}

/** Signs users in and out through applications, without a browser. */
export const logoutWorld = (service: TestService) => {
  const world = oidcWorld(service)
  const tokensOf = async (app: TestApplication, person: TestPerson): Promise<SignedIn> => {
    const { body } = await world.redeem(
      app,
      await world.code(app, person, { scope: 'openid offline_access' }),
    )
    return {
      app,
      person,
      idToken: body.id_token,
      accessToken: body.access_token,
      refreshToken: body.refresh_token,
    }
  }
  const signedIn = async (): Promise<SignedIn> => {
    const app = await world.application('web', logoutSettings)
    return tokensOf(app, await world.member(app))
  }
  const logout = (parameters: Readonly<Record<string, string>>, person: Pick<TestPerson, 'cookie'> | null) =>
    world.browse(`/oauth2/logout?${new URLSearchParams(parameters).toString()}`, person)
  const post = (
    path: string,
    fields: Readonly<Record<string, string>>,
    person: Pick<TestPerson, 'cookie'> | null,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    world.browse(path, person, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  const questionIn = (text: string): string => {
    const question = /name="question" value="([^"]+)"/.exec(text)?.[1]
    if (question === undefined) expect.fail(`no question in ${text}`)
    return question
  }
  const sessionEnd = async (sessionId: string): Promise<string | null> => {
    const { services } = service.core
    return (await findSession(services.pool, sessionId, sessionMoment(services)))?.endReason ?? null
  }
  const refresh = ({ app, refreshToken }: SignedIn) =>
    world.token(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { Authorization: basic(app.clientId, app.secret) },
    )
  const allIsGone = async (at: SignedIn): Promise<void> => {
    expect((await world.userinfo(at.accessToken)).status, 'userinfo').to.equal(401)
    expect((await refresh(at)).body.error, 'refresh').to.equal('invalid_grant')
  }
  const allIsWell = async (at: SignedIn): Promise<void> => {
    expect(await sessionEnd(at.person.sessionId)).to.equal(null)
    expect((await world.userinfo(at.accessToken)).status).to.equal(200)
  }
  /** The position of the last event. */
  const head = (): Promise<string> => service.core.eventLog.head()

  return { world, tokensOf, signedIn, logout, post, questionIn, sessionEnd, allIsGone, allIsWell, head }
}

export type LogoutWorld = ReturnType<typeof logoutWorld>
