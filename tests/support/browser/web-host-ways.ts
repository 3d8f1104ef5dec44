import { Router, type Response } from 'express'
import { TOTP } from 'otpauth'

/** How one call of the API is refused. */
export interface Refused {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfter?: number
}

export interface WaysState {
  /** Refusals by path; each is given as often as it is said. */
  readonly refusals: Map<string, Refused[]>
  /** Bodies that were posted, by path. */
  readonly posted: [path: string, body: unknown][]
}

export const testKey = new TOTP({
  issuer: 'Northwind Trading',
  label: 'ada@example.com',
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
})

export const testRecoveryCodes: readonly string[] = Array.from(
  { length: 10 },
  (_, index) => `${'abcdefghjk'[index]?.repeat(5) ?? ''}-23456`,
)

/** The ways to sign in beside passkeys, as far as the pages can tell them apart. */
export const waysRouter = (state: WaysState): Router => {
  const router = Router()
  const signedIn = (authRequestId?: unknown) => ({
    status: 'signed_in',
    user: { id: 'usr_ada', name: 'Ada', email: 'ada@example.com' },
    redirectTo: typeof authRequestId === 'string' ? `/done?request=${authRequestId}` : '/account',
  })
  const refuse = (response: Response, { status, code, message, retryAfter }: Refused): void => {
    if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter))
    response.status(status).json({ error: { code, message } })
  }

  router.post('/{*path}', (request, response, next) => {
    state.posted.push([request.path, request.body])
    const refused = state.refusals.get(request.path)?.shift()
    if (refused === undefined) return next()
    return refuse(response, refused)
  })
  router.post(['/auth/code', '/auth/magic-link/redeem'], (request, response) => {
    response.json(signedIn((request.body as { authRequestId?: string }).authRequestId))
  })
  router.post(['/auth/magic-link', '/auth/verify-email'], (_, response) => void response.status(204).end())
  router.post('/auth/enroll/:token/authenticator', (_, response) => {
    response.json({ ceremonyId: 'cer-1', secret: testKey.secret.base32, otpauthUri: testKey.toString() })
  })
  router.post('/auth/enroll/:token/authenticator/verify', (request, response) => {
    const { code } = request.body as { code: string }
    if (testKey.validate({ token: code, window: 1 }) === null)
      return refuse(response, {
        status: 401,
        code: 'ERR_CODE_MISMATCH',
        message: 'The code is wrong or was already used.',
      })
    return void response.json({ ...signedIn(), recoveryCodes: testRecoveryCodes })
  })
  return router
}
