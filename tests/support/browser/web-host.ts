import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server'
import express, { type Response } from 'express'
import { loadAssets } from '../../../adapters/inbound/web/assets.ts'
import { contentSecurityPolicy } from '../../../adapters/inbound/web/kit/csp.ts'
import { waysRouter, type WaysState } from './web-host-ways.ts'
import { samplePages, type SampleState } from './web-samples.ts'

/** A host for the pages with as much of the sign-in API as they call, WebAuthn verified for real. */
export interface WebHost {
  readonly origin: string
  readonly state: HostState
  readonly close: () => Promise<void>
}

export interface HostState extends SampleState, WaysState {
  readonly credentials: Map<string, { methodId: string; credential: WebAuthnCredential }>
  readonly calls: string[]
  /** How many of the next verify calls answer ERR_CEREMONY_EXPIRED. */
  expireNext: number
  /** Every call of the API loses its connection. (Chromium repeats a single loss by itself.) */
  unreachable: boolean
}

const rpID = 'localhost'

export const startWebHost = async (): Promise<WebHost> => {
  const assets = await loadAssets()
  const state: HostState = {
    methods: [],
    signedOut: false,
    credentials: new Map(),
    calls: [],
    refusals: new Map(),
    posted: [],
    expireNext: 0,
    unreachable: false,
  }
  const ceremonies = new Map<string, string>()
  const app = express()
  const server = app.listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`

  const fail = (response: Response, status: number, code: string, message: string): void =>
    void response.status(status).json({ error: { code, message } })
  const begin = (response: Response, publicKey: { challenge: string }): void => {
    const ceremonyId = randomUUID()
    ceremonies.set(ceremonyId, publicKey.challenge)
    response.json({ ceremonyId, publicKey })
  }
  const challengeOf = (response: Response, ceremonyId: string): string | undefined => {
    const challenge = ceremonies.get(ceremonyId)
    ceremonies.delete(ceremonyId)
    if (challenge !== undefined && state.expireNext === 0) return challenge
    state.expireNext = Math.max(0, state.expireNext - 1)
    fail(response, 400, 'ERR_CEREMONY_EXPIRED', 'This setup step has expired. Start it again.')
    return undefined
  }
  const expected = (expectedChallenge: string) => ({
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
  })
  const register = async (
    response: Response,
    body: never,
    done: (methodId: string) => void,
  ): Promise<void> => {
    const { ceremonyId, credential, name } = body as { ceremonyId: string; credential: never; name?: string }
    const challenge = challengeOf(response, ceremonyId)
    if (challenge === undefined) return
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: credential,
      ...expected(challenge),
    })
    if (!verified)
      return fail(response, 400, 'ERR_REGISTRATION_FAILED', 'The new passkey could not be verified.')
    const id = `mth_${state.credentials.size + 1}`
    state.credentials.set(registrationInfo.credential.id, {
      methodId: id,
      credential: registrationInfo.credential,
    })
    state.methods.push({ id, type: 'passkey', name: name ?? 'Passkey', createdAt: '2026-11-21T09:00:00Z' })
    done(id)
  }
  const creationOptions = () =>
    generateRegistrationOptions({
      rpName: 'Test',
      rpID,
      userName: 'ada@example.com',
      userID: new TextEncoder().encode('usr_ada'),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [...state.credentials.values()].map(({ credential }) => ({ id: credential.id })),
    })
  const signedIn = { status: 'signed_in', user: { id: 'usr_ada', name: 'Ada', email: 'ada@example.com' } }

  app.use((request, response, next) => {
    response.set('Content-Security-Policy', contentSecurityPolicy())
    if (!request.path.startsWith('/api/')) return next()
    state.calls.push(`${request.method} ${request.path}`)
    if (!state.unreachable) return next()
    return void request.socket.destroy()
  })
  app.use(assets.router)
  app.use(express.json(), express.urlencoded({ extended: false }))
  app.use('/api/v1', waysRouter(state))

  app.post('/api/v1/auth/passkey/options', async (_, response) => {
    begin(response, await generateAuthenticationOptions({ rpID, userVerification: 'required' }))
  })
  app.post('/api/v1/auth/passkey/verify', async (request, response) => {
    const { ceremonyId, credential, authRequestId } = request.body as Record<string, never>
    const challenge = challengeOf(response, ceremonyId ?? '')
    if (challenge === undefined) return
    const known = state.credentials.get((credential as unknown as { id: string }).id)
    const check =
      known &&
      (await verifyAuthenticationResponse({
        response: credential as never,
        credential: known.credential,
        ...expected(challenge),
      }))
    if (!check?.verified)
      return fail(response, 401, 'ERR_PASSKEY_REJECTED', 'The passkey could not be verified.')
    response.json({
      ...signedIn,
      redirectTo: authRequestId ? `/done?request=${authRequestId as string}` : '/account',
    })
  })
  app.post('/api/v1/auth/enroll/:token/passkey/options', async (_, response) => {
    begin(response, await creationOptions())
  })
  app.post('/api/v1/auth/enroll/:token/passkey', (request, response) =>
    register(
      response,
      request.body as never,
      () => void response.json({ ...signedIn, redirectTo: '/account' }),
    ),
  )
  app.post('/api/v1/me/methods/passkey/options', async (_, response) => {
    begin(response, await creationOptions())
  })
  app.post('/api/v1/me/methods/passkey/verify', (request, response) =>
    register(response, request.body as never, (id) => void response.status(201).json({ id })),
  )
  app.patch('/api/v1/me/methods/:id', (request, response) => {
    const at = state.methods.findIndex(({ id }) => id === request.params.id)
    const found = state.methods[at]
    if (!found) return fail(response, 404, 'ERR_NOT_FOUND', 'There is no such item.')
    state.methods[at] = { ...found, name: (request.body as { name: string }).name }
    response.json(state.methods[at])
  })
  app.delete('/api/v1/me/methods/:id', (request, response) => {
    if (state.methods.length === 1)
      return fail(response, 409, 'ERR_LAST_METHOD', 'This is the last way to sign in and cannot be removed.')
    state.methods = state.methods.filter(({ id }) => id !== request.params.id)
    response.status(204).end()
  })
  app.delete('/api/v1/me/sessions/:id', (_, response) => void response.status(204).end())
  app.post('/api/v1/me/sessions/revoke-others', (_, response) => void response.status(204).end())
  app.post('/api/v1/auth/sign-out', (_, response) => {
    state.signedOut = true
    response.status(204).end()
  })

  app.get(
    '/done',
    (request, response) =>
      void response.type('text').send(`done ${JSON.stringify(request.query['request'])}`),
  )
  app.post('/posted', (request, response) => {
    state.calls.push(`form from ${request.get('origin') ?? 'nowhere'}`)
    response.type('text').send(JSON.stringify(request.body))
  })
  app.post('/leave', (request, response) => response.redirect(303, (request.body as { to: string }).to))
  app.post('/sign-in/cancel', (request, response) => {
    response.type('text').send(`cancelled ${(request.body as { authRequest: string }).authRequest}`)
  })
  app.get('/{*page}', (request, response) => {
    const render = samplePages[request.path]
    if (!render) return fail(response, 404, 'ERR_NO_ROUTE', 'No route matches this path and method.')
    response.type('html').send(render({ asset: assets.url, state, origin }))
  })

  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { origin, state, close }
}
