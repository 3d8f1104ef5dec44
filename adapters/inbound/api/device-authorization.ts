import { Type } from 'typebox'
import { done, fields, route, type Route } from '../http/route.ts'
import { deviceApprovals, type DeviceApprovalServices } from '../sign-in/device-approvals.ts'
import { actorOf } from '../http/actor.ts'
import { nullable, Time } from '../http/schemas.ts'

const tag = 'Sign-in on another device'
const access = { credentials: ['session'] } as const
const params = fields({
  code: Type.String({ maxLength: 100, description: 'As the device shows it, not case-sensitive' }),
})

const DeviceAuthorization = Type.Object(
  {
    userCode: Type.String(),
    applicationName: Type.String(),
    scopes: Type.Array(Type.String()),
    ip: Type.String({ description: 'Where the request came from' }),
    location: nullable(Type.String()),
    requestedAt: Time,
    expiresAt: Time,
  },
  { title: 'DeviceLogin' },
)

/** Routes for approving in a browser a sign-in on a device that has no browser (RFC 8628 §3.3). */
export const deviceAuthorizationRoutes = (services: DeviceApprovalServices): readonly Route[] => {
  const approvals = deviceApprovals(services)

  return [
    route({
      method: 'GET',
      path: '/device/{code}',
      tag,
      summary: 'Get a pending sign-in on another device',
      access,
      params,
      result: DeviceAuthorization,
      status: 200,
      errors: ['ERR_DEVICE_CODE', 'ERR_TOO_MANY_ATTEMPTS'],
      handle: async ({ params: { code }, caller }) => {
        const { userCode, applicationName, scopes, ip, location, requestedAt, expiresAt } =
          await approvals.waiting(code, caller.userId)
        return {
          body: { userCode, applicationName, scopes, ip, location, requestedAt, expiresAt },
        }
      },
    }),
    route({
      method: 'POST',
      path: '/device/{code}/approve',
      tag,
      summary: 'Approve a sign-in on another device',
      description:
        'With the scope admin, the device will have the roles of the user for 15 minutes: this requires a role, and a sign-in in the last ten minutes by a method as strong as the strongest one that the user has.',
      access,
      params,
      status: 204,
      errors: [
        'ERR_DEVICE_CODE',
        'ERR_TOO_MANY_ATTEMPTS',
        'ERR_NOT_ASSIGNED',
        'ERR_FORBIDDEN',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_STRONGER_AUTH_REQUIRED',
        'ERR_REAUTH_REQUIRED',
      ],
      audit: ['device_login.approve'],
      handle: async (request) => {
        await approvals.approve(request.params.code, request.caller, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/device/{code}/deny',
      tag,
      summary: 'Deny a sign-in on another device',
      access,
      params,
      status: 204,
      errors: ['ERR_DEVICE_CODE', 'ERR_TOO_MANY_ATTEMPTS'],
      audit: ['device_login.deny'],
      handle: async (request) => {
        await approvals.deny(request.params.code, request.caller, actorOf(request))
        return done
      },
    }),
  ]
}
