/** The steps of the token model, sent to two instances of the service; each response must match the model. */
import { expect } from 'chai'
import { pkce, type ClientAnswer, type OidcWorld, type TestApi } from './oidc.ts'
import type { ServicePair } from '../service/service-pair.ts'
import { surroundings } from './token-surroundings.ts'
import {
  APPLICATIONS,
  authorized,
  canWithdraw,
  currentRefreshToken,
  grantedOn,
  grantFor,
  isGood,
  isOfGrant,
  isOffline,
  isSigned,
  isWithdrawal,
  oldRefreshTokens,
  pairFor,
  PEOPLE,
  redeem,
  refresh,
  tokenOf,
  withdraw,
  type GrantKind,
  type Model,
  type ModelApplication,
  type ModelGrant,
  type ModelPerson,
  type Step,
  type TokenOutcome,
} from './token-model.ts'

const [A, B, C] = [0, 1, 2] as const

export const sorted = (names: readonly string[]): readonly string[] => [...names].sort()

export const outcomeOf = ({ status, body }: ClientAnswer): string => (status === 200 ? 'good' : body.error)

/** @param count called with everything that happened */
export const tokenMoves = (pair: ServicePair, apis: readonly TestApi[], count: (what: string) => void) => {
  const worldAt = ({ instances }: Step, bit: number): OidcWorld => pair.worlds[(instances >> bit) & 1]!
  const { carryOut, restore } = surroundings(pair, apis)

  /** Every user may use every application; the last application may request APIs, the first has no secret. */
  const newModel = async (): Promise<Model> => {
    const [world] = pair.worlds
    const people = await Promise.all(
      Array.from({ length: PEOPLE }, async (): Promise<ModelPerson> => {
        const as = await pair.one.person()
        const session = { as, isEnded: false, isExpired: false }
        return { userId: as.userId, isActive: true, session, sessions: [session] }
      }),
    )
    const applications = await Promise.all(
      Array.from({ length: APPLICATIONS }, async (_, n): Promise<ModelApplication> => {
        const app = await world.application(n === 0 ? 'spa' : 'web')
        for (const { userId } of people) await world.join(app.groupId, userId)
        const levels = new Map(apis.map((api) => [api, n === APPLICATIONS - 1 ? 2 : 0]))
        if (n === APPLICATIONS - 1) await world.grantApis(app, ...apis)
        const members = new Set(people)
        return { app, isActive: true, isAssigned: true, members, rotates: true, levels }
      }),
    )
    const model: Model = { people, applications, grants: [] }
    return model
  }

  const ask = async (
    at: OidcWorld,
    { session }: ModelPerson,
    { app }: ModelApplication,
    scope: string,
    wanted: readonly TestApi[],
  ) => {
    const { verifier, challenge } = pkce()
    const codeAt = Date.now()
    const { status, location, query, text } = await at.authorize(
      app,
      session.as,
      { scope, code_challenge: challenge, code_challenge_method: 'S256' },
      wanted.map(({ identifier }) => `&resource=${encodeURIComponent(identifier)}`).join(''),
    )
    const answer =
      query['code'] !== undefined
        ? 'code'
        : location?.includes('/sign-in?authRequest=') === true
          ? 'sign_in'
          : status === 403 && text.includes('ERR_NOT_ASSIGNED')
            ? 'not_assigned'
            : status === 400 && text.includes('ERR_INVALID_CLIENT')
              ? 'no_application'
              : (query['error'] ?? `${String(status)} ${location ?? text}`)
    return { answer, code: { code: query['code'] ?? '', verifier }, codeAt }
  }

  /** @param expected null if a concurrent step makes either outcome correct */
  const authorize = async (
    model: Model,
    { choice }: Step,
    at: OidcWorld,
    person: ModelPerson,
    application: ModelApplication,
    expected: string | null,
  ): Promise<void> => {
    const wanted = wantedOf(choice, application)
    const served = [
      'openid',
      ...(choice & 4 ? ['email'] : []),
      ...((choice & 12) === 12 ? [] : ['offline_access']),
    ]
    const { session } = person
    const { answer, code, codeAt } = await ask(at, person, application, served.join(' '), wanted)
    if (expected !== null) expect(answer, 'authorize').to.equal(expected)
    count(`authorize: ${answer}`)
    if (answer !== 'code') return
    model.grants.push({
      person,
      application,
      session,
      scopes: [...served, ...wanted.flatMap((api) => grantedOn(application, api))],
      apis: wanted,
      code,
      codeAt,
      isVoid: false,
      isIssued: false,
      generation: 0,
      refreshTokens: [],
      accessTokens: [],
    })
  }
  const wantedOf = (choice: number, { levels }: ModelApplication): readonly TestApi[] => {
    const wanted = apis.filter((_, n) => (choice >> n) & 1)
    // An application without grants seldom requests any; one that once had grants requests them even if none is left.
    return [...levels.values()].some((level) => level > 0) || choice === 15 ? wanted : []
  }

  /** Checks that a successful response matches the grant, and keeps it. */
  const keep = (grant: ModelGrant, body: ClientAnswer['body'], scope?: string): void => {
    const { application, generation } = grant
    const expected = tokenOf(grant, scope)
    if (expected === null) throw new Error('nothing is granted')
    expect(sorted(body.scope.split(' ')), 'scope').to.deep.equal(sorted(expected.scopes))
    const text = body.access_token as string
    expect(text.startsWith('eyJ'), 'a JWT').to.equal(isSigned(application))
    expect(body.id_token !== undefined, 'an ID token').to.equal(expected.scopes.includes('openid'))
    if (isSigned(application)) {
      const { aud, sub, scope: inside } = pair.worlds[0].claimsIn(text)
      const audience = expected.apis.map(({ identifier }) => identifier)
      expect(sorted(aud), 'aud').to.deep.equal(audience.length > 0 ? sorted(audience) : [pair.one.publicUrl])
      expect([sub, inside]).to.deep.equal([grant.person.userId, body.scope])
    }
    grant.accessTokens.push({ text, ...expected })
    expect(body.refresh_token !== undefined, 'a refresh token').to.equal(isOffline(grant))
    if (isOffline(grant)) grant.refreshTokens.push({ text: body.refresh_token, generation })
  }

  const expectOutcome = (
    grant: ModelGrant,
    answer: ClientAnswer,
    expected: TokenOutcome,
    what: string,
    scope?: string,
  ): void => {
    count(`${what}: ${expected}`)
    expect(outcomeOf(answer), `${what}: ${String(answer.body.error_description)}`).to.equal(expected)
    expect(answer.status, what).to.equal(
      expected === 'good' ? 200 : expected === 'invalid_client' ? 401 : 400,
    )
    if (expected === 'good') keep(grant, answer.body, scope)
  }

  /**
   * The same request twice concurrently, at both instances: the result is as if one followed the other, in either
   * order.
   */
  const twice = async (
    grant: ModelGrant,
    send: (at: OidcWorld) => Promise<ClientAnswer>,
    decide: () => TokenOutcome,
    what: string,
  ): Promise<void> => {
    const answers = await Promise.all(pair.worlds.map(send))
    const inOrder = answers.sort((a, b) => a.status - b.status)
    for (const answer of inOrder) expectOutcome(grant, answer, decide(), what)
  }

  /** Removes something while a token is being created: whichever is first, the token is invalid afterwards. */
  const race = async (model: Model, step: Step, grant: ModelGrant): Promise<boolean> => {
    const { withdrawal, choice } = step
    const { person, application } = grant
    const current = currentRefreshToken(grant)
    if (!canWithdraw(withdrawal, person, application)) return false
    const at = worldAt(step, A)
    const revokes = current !== undefined && choice & 1
    const take = () =>
      revokes
        ? worldAt(step, B).revoke(application.app, current.text)
        : carryOut(withdrawal, (step.instances >> B) & 1, person, application)
    const [, , answer] = await Promise.all([
      take(),
      authorize(model, { ...step, choice: 0 }, worldAt(step, C), person, application, null),
      current === undefined
        ? at.redeem(application.app, grant.code)
        : at.refresh(application.app, current.text),
    ])
    const outcome = outcomeOf(answer)
    count(`race: ${outcome}`)
    expect(outcome, 'race').to.be.oneOf(['good', 'invalid_grant', 'invalid_client'])
    if (outcome === 'good') {
      expect(current === undefined ? redeem(grant) : refresh(grant, current.generation)).to.equal('good')
      keep(grant, answer.body)
    }
    if (revokes) grant.isVoid = true
    else withdraw(model, withdrawal, person, application)
    return true
  }

  const ofGrant = async (model: Model, kind: GrantKind, step: Step, grant: ModelGrant): Promise<boolean> => {
    const { choice } = step
    const { app } = grant.application
    const at = worldAt(step, A)
    const current = currentRefreshToken(grant)
    const old = oldRefreshTokens(grant)
    const older = old[choice % Math.max(1, old.length)]
    switch (kind) {
      case 'redeem':
      case 'redeem_twice':
        if (kind === 'redeem') expectOutcome(grant, await at.redeem(app, grant.code), redeem(grant), kind)
        else
          await twice(
            grant,
            (each) => each.redeem(app, grant.code),
            () => redeem(grant),
            kind,
          )
        return true
      case 'refresh':
      case 'refresh_narrowed': {
        if (current === undefined) return false
        const scope = kind === 'refresh' ? undefined : (['email', 'openid', 'groups'] as const)[choice % 3]
        const answer = await at.refresh(app, current.text, scope === undefined ? {} : { scope })
        expectOutcome(grant, answer, refresh(grant, current.generation, scope), kind, scope)
        return true
      }
      case 'refresh_twice':
        if (current === undefined) return false
        await twice(
          grant,
          (each) => each.refresh(app, current.text),
          () => refresh(grant, current.generation),
          kind,
        )
        return true
      case 'refresh_old':
        if (older === undefined) return false
        if (isGood(grant)) count('reuse detected')
        expectOutcome(grant, await at.refresh(app, older.text), refresh(grant, older.generation), kind)
        return true
      case 'revoke':
      case 'revoke_by_another': {
        const token = [current, older, ...grant.accessTokens].filter((each) => each !== undefined)
        const chosen = token[choice % Math.max(1, token.length)]
        if (chosen === undefined) return false
        const by =
          kind === 'revoke'
            ? grant.application
            : model.applications.find((each) => each !== grant.application)!
        const answer = await at.revoke(by.app, chosen.text)
        const expected = !by.isActive ? 'invalid_client' : kind === 'revoke' ? 'good' : 'invalid_grant'
        expect(outcomeOf(answer), kind).to.equal(expected)
        count(`${kind}: ${expected}`)
        if (expected === 'good') grant.isVoid = true
        return true
      }
      case 'race':
        return race(model, step, grant)
    }
  }

  /** Performs the step; false if there was nothing to do. */
  const take = async (model: Model, step: Step): Promise<boolean> => {
    const { kind } = step
    if (kind === 'authorize') {
      const [person, application] = pairFor(model, step)
      const expected = authorized(person, application, wantedOf(step.choice, application))
      await authorize(model, step, worldAt(step, A), person, application, expected)
      return true
    }
    if (isOfGrant(kind)) {
      const grant = grantFor(model, { ...step, kind }, Date.now())
      return grant === undefined ? false : ofGrant(model, kind, step, grant)
    }
    const person = model.people[step.person]!
    const application = model.applications[step.application]!
    if (!isWithdrawal(kind)) return restore(model, step, person, application)
    if (!canWithdraw(kind, person, application)) return false
    await carryOut(kind, step.instances & 1, person, application)
    withdraw(model, kind, person, application)
    return true
  }

  return { newModel, take }
}
