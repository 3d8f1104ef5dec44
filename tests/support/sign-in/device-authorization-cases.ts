import type { ApprovedDeviceAuthorization } from '../../../domain/device-authorization/events.ts'
import { at, id } from '../fixed.ts'
import type { TableCase } from './people-cases.ts'

const login: ApprovedDeviceAuthorization = {
  deviceLoginId: id('deviceAuthorization'),
  applicationId: id('application'),
  userId: id('user'),
  sessionId: id('session'),
  scopes: ['openid'],
  apiResourceIds: [],
  authTime: at(0),
  grantId: 'g',
  authorizedAt: '0001',
}
const { deviceLoginId, applicationId, userId } = login

/** What users' decisions about sign-ins on other devices do in the read models. */
export const deviceAuthorizationCases: readonly TableCase[] = [
  [
    'device_logins',
    'a sign-in approved',
    [{ type: 'device_login.approved', data: login }],
    [
      {
        id: deviceLoginId,
        outcome: 'approved',
        application_id: applicationId,
        user_id: userId,
        session_id: id('session'),
        grant_id: 'g',
        scopes: ['openid'],
        api_resource_ids: [],
        auth_time: at(0),
        authorized_at: '0001',
        decided_at: at(1),
      },
    ],
  ],
  [
    'device_logins',
    'a sign-in denied',
    [{ type: 'device_login.denied', data: { deviceLoginId, applicationId, userId } }],
    [
      {
        id: deviceLoginId,
        outcome: 'denied',
        user_id: userId,
        session_id: null,
        scopes: null,
        decided_at: at(1),
      },
    ],
  ],
]
