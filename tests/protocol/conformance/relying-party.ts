/** The common steps of the modules of the certification plans, as a relying party and as the user in the browser. */
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { OidcSettings } from '../../../domain/application/events.ts'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose'
import { basic, CALLBACK, oidcWorld, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Responses have many shapes. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

export type Fields = Readonly<Record<string, string>>
type Answer = Awaited<ReturnType<OidcWorld['browse']>>

export const LOGGED_OUT = 'https://app.example.com/post_logout_redirect'

export interface Tokens {
  readonly status: number
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly idToken: string
  readonly claims: JWTPayload
}

const PRINTABLE = /^[\x20-\x7e]+$/

/** Shannon entropy of all characters together, in bits: guessable values stay below the limit. */
const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const each = [...counts.values()].map((n) => n / text.length)
  return text.length * each.reduce((sum, p) => sum - p * Math.log2(p), 0)
}

const random = (bytes = 16): string => randomBytes(bytes).toString('base64url')

export const nextSecond = async (): Promise<void> => {
  const second = Math.floor(Date.now() / 1000)
  await until(() => Math.floor(Date.now() / 1000) > second, 2_000, 'the next second')
}

/** Waits until that many seconds have passed since the sign-in. */
export const secondsAfter = ({ claims }: Pick<Tokens, 'claims'>, seconds: number): Promise<unknown> =>
  until(
    () => Math.floor(Date.now() / 1000) >= Number(claims['auth_time']) + seconds,
    5_000,
    `${String(seconds)} seconds after the sign-in`,
  )

const decoded = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')

/** What an attribute of a tag says; '' if it is not there. */
export const attribute = (tag: string, name: string): string =>
  decoded(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

/** The fields of the page that sends itself to the application (OAuth 2.0 Form Post Response Mode §2). */
const postedFields = (page: Answer, redirectUri: string): Answer['query'] => {
  expect(page.status).to.equal(200)
  expect(page.location).to.be.null
  expect(page.headers.get('content-type')).to.match(/^text\/html/)
  const forms = [...page.text.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form)
  expect(forms).to.have.length(1)
  const [form = ''] = forms
  const [tag = ''] = /^<form\b[^>]*>/.exec(form) ?? []
  expect(attribute(tag, 'method')).to.equal('post')
  expect(attribute(tag, 'action')).to.equal(redirectUri)
  expect(tag).not.to.include('enctype')
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([input]) => input)
  return Object.fromEntries(inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]))
}

export interface RelyingParty {
  readonly service: TestService
  readonly world: OidcWorld
  /** The discovery document */
  readonly metadata: Json
  readonly app: TestApplication
  readonly second: TestApplication
  readonly person: TestPerson
  /** The user's telephone number */
  readonly phone: string
  /** Returns the parameters of an authorization request, with new state and nonce */
  readonly request: (extra?: Fields, app?: TestApplication) => Fields
  /** Sends the request from the user's browser, or from one without a session */
  readonly authorize: (
    parameters: Fields,
    person?: TestPerson | null,
    method?: 'GET' | 'POST',
  ) => Promise<Answer>
  /** Sends the request and signs in if required; expects the sign-in page, or its absence */
  readonly atSignIn: (
    parameters: Fields,
    person: TestPerson | null,
    method?: 'GET' | 'POST',
  ) => Promise<{ answer: Answer; signedIn: TestPerson }>
  /** Returns the code that a successful response sends to the redirect URI */
  readonly codeIn: (answer: Answer, parameters: Fields) => string
  readonly errorIn: (answer: Answer, parameters: Fields) => string
  readonly exchange: (
    code: string,
    parameters: Fields,
    extra?: Fields,
    auth?: 'client_secret_basic' | 'client_secret_post',
  ) => Promise<Tokens>
  readonly token: (fields: Fields, app?: TestApplication) => ReturnType<OidcWorld['token']>
  /** Runs the flow from the authorization request to userinfo, with a session */
  readonly flow: (
    extra?: Fields,
    as?: TestPerson,
    app?: TestApplication,
  ) => Promise<Tokens & { readonly userinfo: Json }>
  readonly userinfo: (tokens: Pick<Tokens, 'accessToken' | 'claims'>, init?: RequestInit) => Promise<Json>
  /** Whether the user is signed out: prompt=none returns the error that OpenID Connect Core §3.1.2.6 requires */
  readonly isSignedOut: (person: TestPerson, app?: TestApplication) => Promise<void>
  /** One more application like the first two, that the person may use. */
  readonly register: (settings: Partial<OidcSettings>) => Promise<TestApplication>
  /** The same, for a plan whose requests all contain these fields. */
  readonly inMode: (mode: Fields) => RelyingParty
  readonly stop: () => Promise<void>
}

/** A service with the two web applications that the plans require: static clients without PKCE. */
export const relyingParty = async (): Promise<RelyingParty> => {
  const service = await testService()
  const world = oidcWorld(service)
  const usual = { requirePkce: false, redirectUris: [CALLBACK], postLogoutRedirectUris: [LOGGED_OUT] }
  const app = await world.application('web', usual)
  const phone = '+1 310 555 0100'
  const person = await world.member(app, {
    ...{ name: 'Buffy Summers', givenName: 'Buffy', familyName: 'Summers', phone },
    ...{ locale: 'en-US', timeZone: 'America/Los_Angeles' },
  })
  const registered = [app]
  const register: RelyingParty['register'] = async (settings) => {
    const one = await world.application('web', { ...usual, ...settings })
    await world.join(one.groupId, person.userId)
    registered.push(one)
    return one
  }
  const second = await register({})
  const discovered = await fetch(`${service.publicUrl}/.well-known/openid-configuration`)
  const metadata = await discovered.json()
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri))

  const inMode = (mode: Fields): RelyingParty => {
    const request = (extra: Fields = {}, of = app): Fields => ({
      client_id: of.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: random(),
      nonce: random(),
      ...mode,
      ...extra,
    })

    const ofService = (location: string | null): location is string =>
      location?.startsWith(`${service.publicUrl}/`) ?? false
    const path = (location: string) => location.slice(service.publicUrl.length)

    const authorize: RelyingParty['authorize'] = async (parameters, as = person, method = 'GET') => {
      const text = new URLSearchParams(parameters).toString()
      const { pathname } = new URL(metadata.authorization_endpoint)
      if (method === 'GET') return world.browse(`${pathname}?${text}`, as)
      // A browser sends no SameSite=Lax cookie with a form of another site, but sends it after the redirect.
      const posted = await world.browse(pathname, null, {
        method,
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Origin: new URL(CALLBACK).origin,
          'Sec-Fetch-Site': 'cross-site',
        },
        body: text,
      })
      return ofService(posted.location) ? world.browse(path(posted.location), as) : posted
    }

    const atSignIn: RelyingParty['atSignIn'] = async (parameters, as, method = 'GET') => {
      const answer = await authorize(parameters, as, method)
      const page = new URL(answer.location ?? '')
      expect(page.href.startsWith(`${service.publicUrl}/sign-in?`), answer.location ?? answer.text).to.be.true
      expect((await world.browse(path(page.href), as)).status).to.equal(200)
      const signedIn = await service.signIn(person.userId, person.email)
      const resume = `/oauth2/authorize/resume?authRequest=${page.searchParams.get('authRequest') ?? ''}`
      return { answer: await world.browse(resume, signedIn), signedIn }
    }

    /** What came to the redirect URI in the mode asked for; its place, state and issuer are right. */
    const responseIn = (answer: Answer, parameters: Fields): Answer['query'] => {
      const redirectUri = parameters['redirect_uri'] ?? ''
      const isPosted = parameters['response_mode'] === 'form_post'
      if (!isPosted) {
        expect(answer.status, answer.text).to.equal(303)
        expect(answer.location?.split('?')[0]).to.equal(redirectUri)
        expect(new URL(answer.location ?? '').hash).to.equal('')
      }
      const fields = isPosted ? postedFields(answer, redirectUri) : answer.query
      expect(fields['state']).to.equal(parameters['state'])
      expect(fields['iss']).to.equal(metadata.issuer)
      return fields
    }

    const codeIn: RelyingParty['codeIn'] = (answer, parameters) => {
      const fields = responseIn(answer, parameters)
      expect(fields).not.to.have.property('error')
      const code = fields['code'] ?? ''
      expect(code.length).to.be.at.least(16)
      expect(entropy(code)).to.be.at.least(96)
      return code
    }

    const errorIn: RelyingParty['errorIn'] = (answer, parameters) => {
      const fields = responseIn(answer, parameters)
      expect(fields).not.to.have.property('code')
      expect(['error', 'error_description', 'error_uri', 'state', 'iss']).to.include.members(
        Object.keys(fields),
      )
      expect(fields['error_description'] ?? 'left out').to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
      return fields['error'] ?? ''
    }

    /** OpenID Connect Core §3.1.3.7 and §2: checks that apply to every ID token. */
    const checkIdToken = async (idToken: string, accessToken: string, parameters: Fields) => {
      const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
        issuer: metadata.issuer,
        audience: parameters['client_id'] ?? '',
        requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
        maxTokenAge: 300,
      })
      expect(protectedHeader.alg).to.equal('RS256')
      expect(decodeProtectedHeader(idToken).kid).to.be.a('string').and.not.be.empty
      expect(payload['nonce']).to.equal(parameters['nonce'])
      expect(payload.sub?.length).to.be.within(1, 255)
      const left = createHash('sha256').update(accessToken).digest().subarray(0, 16)
      expect(payload['at_hash']).to.equal(left.toString('base64url'))
      return payload
    }

    const token: RelyingParty['token'] = (fields, of = app) =>
      world.token(fields, { Authorization: basic(of.clientId, of.secret) })

    const exchange: RelyingParty['exchange'] = async (
      code,
      parameters,
      extra = {},
      auth = 'client_secret_basic',
    ) => {
      const of = registered.find(({ clientId }) => clientId === parameters['client_id']) ?? app
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...extra }
      const inForm = { client_id: of.clientId, client_secret: of.secret }
      const { status, headers, body } =
        auth === 'client_secret_basic' ? await token(fields, of) : await world.token({ ...fields, ...inForm })
      expect(status, JSON.stringify(body)).to.equal(200)
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(body.token_type.toLowerCase()).to.equal('bearer')
      expect(body.expires_in).to.be.a('number').greaterThan(0)
      expect(body.access_token).to.match(PRINTABLE)
      const claims = await checkIdToken(body.id_token, body.access_token, parameters)
      return {
        status,
        claims,
        accessToken: body.access_token,
        refreshToken: body.refresh_token,
        idToken: body.id_token,
      }
    }

    const userinfo: RelyingParty['userinfo'] = async (
      { accessToken, claims },
      init = { headers: { Authorization: `Bearer ${accessToken}` } },
    ) => {
      const response = await fetch(metadata.userinfo_endpoint, init)
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-type')).to.match(/^application\/json/)
      const info = await response.json()
      expect(info.sub).to.equal(claims.sub)
      for (const name of ['name', 'preferred_username', 'email'])
        if (name in info) expect(info[name]).to.be.a('string').and.not.be.empty
      if ('email_verified' in info) expect(info.email_verified).to.be.a('boolean')
      return info
    }

    const flow: RelyingParty['flow'] = async (extra = {}, as = person, of = app) => {
      const parameters = request(extra, of)
      const code = codeIn(await authorize(parameters, as), parameters)
      const tokens = await exchange(code, parameters)
      return { ...tokens, userinfo: await userinfo(tokens) }
    }

    const isSignedOut: RelyingParty['isSignedOut'] = async (who, of = app) => {
      const parameters = request({ prompt: 'none', state: random(96) }, of)
      const error = errorIn(await authorize(parameters, who), parameters)
      expect(error).to.be.oneOf(['interaction_required', 'login_required', 'account_selection_required'])
    }

    return {
      service,
      world,
      metadata,
      app,
      second,
      person,
      phone,
      request,
      authorize,
      atSignIn,
      codeIn,
      errorIn,
      exchange,
      token,
      flow,
      userinfo,
      isSignedOut,
      register,
      inMode,
      stop: () => service.stop(),
    }
  }
  return inMode({})
}
