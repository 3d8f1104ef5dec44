import { success } from '../../../http/api/support.ts'
import { softPasskey } from '../../sign-in/soft-passkey.ts'
import type { AuditKit, Step } from './kit.ts'

/** Steps for a user: invited, enrolled, changed, suspended and reactivated. */
export const personSteps = ({
  service,
  as,
  admin,
  made,
  people,
  of,
  to,
  call,
  keep,
}: AuditKit): readonly Step[] => {
  const devices = (owner: string, ...verbs: [verb: string, past: string][]): readonly Step[] =>
    verbs.map(([verb, past]) => [
      verb,
      [[`device.${verb}`, `${past} the device Phone of ${owner}`]],
      call('POST', to(`/devices/:device/${verb}`), verb === 'trust' ? () => ({}) : undefined),
    ])

  return [
    [
      'invite',
      [['user.invite', 'Invited Ada Lovelace']],
      keep(
        'ada',
        call('POST', to('/users'), () => ({ email: 'ada@example.com', name: 'Ada Lovelace' })),
      ),
    ],
    [
      'invite again',
      [['user.invite.resend', 'Issued a new enrolment link for Ada Lovelace']],
      async () => {
        made['link'] = (await call('POST', to('/users/:ada/invite'))()).enrollUrl.split('/').at(-1)
      },
    ],
    [
      'enrol',
      [
        ['user.enroll', 'Ada Lovelace finished enrolment'],
        ['method.add', 'Added a passkey to Ada Lovelace'],
        ['device.register', 'Registered a device of Ada Lovelace'],
      ],
      async () => {
        const at = `/auth/enroll/${of('link')}/passkey`
        const { ceremonyId, publicKey } = success(await service.api('POST', `${at}/options`))
        const credential = softPasskey(service.publicUrl).create(publicKey)
        const body = { ceremonyId, credential }
        const answer = await service.api('POST', at, { body })
        const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
        people.self = { ...admin, userId: of('ada'), cookie }
        const [session] = success(await as(people.self)('GET', '/me/sessions'))
        const [registered] = success(await as(people.self)('GET', '/me/devices'))
        made['device'] = registered.id
        people.self = { ...people.self, sessionId: session.id }
      },
    ],
    [
      'rename a device',
      [['device.update', 'Renamed the device Phone of Ada Lovelace']],
      call('PATCH', to('/devices/:device'), () => ({ name: 'Phone' })),
    ],
    ...devices('Ada Lovelace', ['trust', 'Trusted'], ['untrust', 'Untrusted']),
    [
      'change a person',
      [['user.update', 'Updated Ada King']],
      call('PATCH', to('/users/:ada'), () => ({ name: 'Ada King', title: 'Countess' })),
    ],
    [
      'change an address',
      [['user.email.change', 'Changed the email address of Ada King']],
      call('PATCH', to('/users/:ada'), () => ({ email: 'king@example.com' })),
    ],
    [
      'change oneself',
      [['user.update', 'Updated Ada King']],
      call(
        'PATCH',
        to('/me'),
        () => ({ locale: 'en-GB' }),
        () => people.self,
      ),
    ],
    [
      'give roles',
      [['user.roles.update', 'Set the roles of Ada King to auditor']],
      async () => {
        const answer = await call('PUT', to('/users/:ada/roles'), () => ({ roles: ['auditor'] }))()
        // Earlier sessions can no longer change the account.
        people.self = await service.signIn(of('ada'), 'ada@example.com')
        return answer
      },
    ],
    [
      'add a passkey',
      [['method.add', 'Added a passkey to Ada King']],
      async () => {
        const { ceremonyId, publicKey } = success(
          await as(people.self)('POST', '/me/methods/passkey/options'),
          200,
        )
        const credential = softPasskey(service.publicUrl).create(publicKey)
        const passkey = success(
          await as(people.self)('POST', '/me/methods/passkey/verify', {
            ceremonyId,
            credential,
            name: 'Laptop',
          }),
          201,
        )
        made['passkey'] = passkey.id
      },
    ],
    [
      'rename a passkey',
      [['method.rename', 'Renamed a sign-in method of Ada King']],
      call(
        'PATCH',
        to('/me/methods/:passkey'),
        () => ({ name: 'Old laptop' }),
        () => people.self,
      ),
    ],
    [
      'remove a passkey',
      [['method.remove', 'Removed a sign-in method of Ada King']],
      call('DELETE', to('/users/:ada/methods/:passkey')),
    ],
    [
      'sign out',
      [['session.end', 'Ended a session of Ada King (sign out)']],
      call('POST', to('/auth/sign-out'), undefined, () => people.self),
    ],
    [
      'end a session',
      [['session.revoke', 'Ended a session of Ada King (admin revoked)']],
      async () => {
        const { sessionId } = await service.signIn(of('ada'), 'king@example.com')
        await call('DELETE', () => `/sessions/${sessionId}`)()
      },
    ],
    [
      'end all sessions',
      [['session.revoke_all', 'Ended every session of Ada King']],
      call('POST', to('/users/:ada/sessions/revoke')),
    ],
    ...devices('Ada King', ['block', 'Blocked'], ['unblock', 'Unblocked']),
    [
      'reset methods',
      [['user.methods.reset', 'Reset the sign-in methods of Ada King']],
      call('POST', to('/users/:ada/reset-methods')),
    ],
    [
      'confirm a compromise',
      [
        ['risk_event.detect', 'Detected a risk for Ada King: a compromise known to an administrator'],
        ['risk_event.confirm', 'Confirmed that the account of Ada King is compromised'],
      ],
      keep(
        'risk',
        call('POST', to('/users/:ada/confirm-compromised'), () => ({ note: 'She called' })),
      ),
    ],
    [
      'confirm that it was the user',
      [['risk_event.confirm', 'Confirmed a risk for Ada King as safe']],
      call('POST', to('/risk-events/:risk/confirm-safe'), () => ({})),
    ],
    [
      'dismiss a risk',
      [['risk_event.dismiss', 'Dismissed a risk for Ada King']],
      call('POST', to('/risk-events/:risk/dismiss'), () => ({})),
    ],
    [
      'suspend',
      [['user.suspend', 'Suspended Ada King']],
      call('POST', to('/users/:ada/suspend'), () => ({ reason: 'On leave' })),
    ],
    ['reactivate', [['user.reactivate', 'Reactivated Ada King']], call('POST', to('/users/:ada/reactivate'))],
  ]
}

export const personEndSteps = ({ to, call }: AuditKit): readonly Step[] => [
  ['delete a person', [['user.delete', 'Deleted Ada King']], call('DELETE', to('/users/:ada'))],
]
