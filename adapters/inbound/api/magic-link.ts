import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Recipient } from '../../../read-models/queries/mail.ts'
import type { Services } from '../../application/services/services.ts'
import { userCommands } from '../../application/commands/users.ts'
import { ownCookie, setCookie } from '../http/cookies.ts'
import { done, fields, route, type Route } from '../http/route.ts'
import { signInCompletion, type SignInRequest } from '../sign-in/complete-sign-in.ts'
import { knownDevices } from '../sign-in/known-device.ts'
import { magicLinks, magicLinksOffered } from '../../application/sign-in/magic-links.ts'
import { addressConfirmations } from '../../application/sign-in/verify-address.ts'
import { waitingRequests } from '../sign-in/waiting-request.ts'
import { actorOf } from '../http/actor.ts'
import { AuthRequestId, LinkToken, SignedIn, TypedAddress } from './auth-schemas.ts'
import { printable } from '../http/schemas.ts'

const tag = 'Sign-in'
const bucket = 'sign-in'
const anyone = { credentials: ['none'] } as const
const BROWSER_COOKIE = 'svc_magic_link'
const PATH = '/auth/magic-link'

/** The error for a used proof, or for a user who was just deleted. */
const overtaken: readonly string[] = ['ERR_CEREMONY_EXPIRED', 'ERR_NOT_FOUND']

/**
 * Routes for emailed links that sign in or confirm an address. Only POST redeems a link, because mail scanners open
 * links with GET.
 */
export const magicLinkRoutes = (services: Services): readonly Route[] => {
  const { publicUrl } = services
  const links = magicLinks(services)
  const users = userCommands(services)
  const confirmations = addressConfirmations(services)
  const waiting = waitingRequests(services)
  const devices = knownDevices(services)
  const { complete, failed } = signInCompletion(services)

  /** Identifies the requesting browser: only there does an application's request continue. */
  const browserCookie = (value: string, expiresAt: string): string =>
    setCookie({ name: BROWSER_COOKIE, value, end: { expires: new Date(expiresAt) } }, publicUrl)

  /**
   * Records the attempt.
   * @throws DomainError ERR_LINK_EXPIRED
   */
  const refuse = async (
    request: SignInRequest,
    person: Pick<Recipient, 'userId' | 'email'> | null,
  ): Promise<never> => {
    const { userId = null, email = null } = person ?? {}
    await failed(request, { userId, email, method: 'magic_link', reason: 'link_expired' }, null)
    throw new DomainError('ERR_LINK_EXPIRED')
  }

  return [
    route({
      method: 'POST',
      path: PATH,
      tag,
      summary: 'Request a sign-in link by email',
      description:
        'The response is the same for all addresses. A known device of the user, and each network of unknown devices, can request three links per quarter of an hour; all unknown devices together can request ten per hour. Only the newest link that a browser requested works. Signing in with a link revokes the others.',
      access: anyone,
      bucket,
      emailBucket: 'magic-link',
      body: fields({
        email: TypedAddress,
        authRequestId: Type.Optional(AuthRequestId),
      }),
      status: 204,
      errors: [],
      handle: async ({ body, http: { ip, cookies } }) => {
        if (!(await magicLinksOffered(services))) return done
        const { browser, expiresAt } = await links.ask(body.email, body.authRequestId, {
          ip,
          deviceHash: devices.hashOf(cookies),
          browser: ownCookie(cookies, BROWSER_COOKIE, publicUrl),
        })
        return { headers: { 'Set-Cookie': browserCookie(browser, expiresAt) } }
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/redeem`,
      tag,
      summary: 'Sign in with a link sent by email',
      description:
        "Continues with the application's request in the browser that requested the link, and with the account page in any other browser.",
      access: { credentials: ['none', 'session'] },
      bucket,
      body: fields({ token: LinkToken }),
      result: SignedIn,
      status: 200,
      errors: [
        'ERR_LINK_EXPIRED',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_NOT_ASSIGNED',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_PROVIDER_REQUIRED',
        'ERR_STRONGER_AUTH_REQUIRED',
      ],
      handle: async (request) => {
        const browser = ownCookie(request.http.cookies, BROWSER_COOKIE, publicUrl)
        const link = await links.comeBack(request.body.token, browser)
        if (link === null) return refuse(request, null)
        const { person, proofId, good, authRequestId } = link
        const { userId, name, email, status, raises } = person
        if (!good) return refuse(request, person)
        const authRequest = authRequestId === null ? null : await waiting(authRequestId)
        await links.endOthers(userId, proofId)
        try {
          // Waits for the read models first: a link is invalid if the address was just changed or the user was just
          // granted a role.
          if (status === 'active')
            await users.openByMail(userId, email, raises, {
              ...actorOf(request),
              actorId: userId,
              actorType: 'user',
            })
          return await complete(
            request,
            {
              proofId,
              userId,
              name,
              email,
              status,
              methodId: null,
              method: 'magic_link',
              methods: ['magic_link'],
              userVerified: false,
              raises,
            },
            authRequest,
            'ERR_LINK_EXPIRED',
          )
        } catch (error) {
          if (error instanceof DomainError && overtaken.includes(error.code)) return refuse(request, person)
          throw error
        }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/verify-email',
      tag,
      summary: 'Confirm an email address',
      description: 'Send the token of the confirmation email. Confirming again changes nothing.',
      access: anyone,
      bucket,
      body: fields({ token: printable(2048) }),
      status: 204,
      errors: ['ERR_LINK_EXPIRED'],
      audit: ['user.email.verify'],
      handle: async (request) => {
        const { userId, email, raises } = confirmations.open(request.body.token)
        try {
          await users.verifyEmail(userId, email, raises, {
            ...actorOf(request),
            actorId: userId,
            actorType: 'user',
          })
        } catch (error) {
          if (error instanceof DomainError && error.code === 'ERR_NOT_FOUND')
            throw new DomainError('ERR_LINK_EXPIRED')
          throw error
        }
        return done
      },
    }),
  ]
}
