import { expect } from 'chai'
import { apiRoutes } from '../../../adapters/api/routes.ts'
import { catalogueActions, isDrivenElsewhere, targetTypes } from '../../support/audit-actions.ts'
import { audited } from '../../support/audit.ts'
import { deviceWorld } from '../../support/device.ts'
import { oidcWorld } from '../../support/oidc.ts'
import { softPasskey } from '../../support/soft-passkey.ts'
import type { TestPerson } from '../../support/service.ts'
import { payroll, startPlace, success, type Json, type Place } from './support.ts'

/** What was done, the actions that tell of it, and the sentences. */
type Step = readonly [what: string, entries: readonly (readonly [action: string, summary: string])[], Cause]
type Cause = () => Promise<unknown>

describe('The audit trail of everything that routes do', function () {
  this.timeout(120_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  it('AUD-01 every action that a route declares is told of, once, with everybody’s names', async () => {
    const { service, send, as, admin } = place
    const oidc = oidcWorld(service)
    const device = deviceWorld(service)
    const made: Record<string, string> = {}
    let self: TestPerson = admin
    let passkey: Json
    const of = (name: string): string => made[name] ?? ''
    const call =
      (method: string, path: () => string, body?: () => unknown, by: () => TestPerson = () => admin) =>
      async (): Promise<Json> => {
        const answer = await as(by())(method, path(), body?.())
        expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 204)
        return answer.body
      }
    const keep = (name: string, cause: () => Promise<Json>) => async () => {
      made[name] = (await cause()).id
    }
    const to = (text: string) => () => text.replace(/:(\w+)/g, (_, name: string) => of(name))
    const userCode = async (): Promise<string> => (await device.begin()).body.user_code
    const rule = { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value: 'None' }] }
    const scopes = (...names: string[]) => names.map((name) => ({ name, description: name }))

    const devices = (owner: string, ...verbs: [verb: string, past: string][]): readonly Step[] =>
      verbs.map(([verb, past]) => [
        verb,
        [[`device.${verb}`, `${past} the device Phone of ${owner}`]],
        call('POST', to(`/devices/:device/${verb}`), verb === 'trust' ? () => ({}) : undefined),
      ])

    const steps: readonly Step[] = [
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
          self = { ...admin, userId: of('ada'), cookie }
          const [session] = success(await as(self)('GET', '/me/sessions'))
          const [registered] = success(await as(self)('GET', '/me/devices'))
          made['device'] = registered.id
          self = { ...self, sessionId: session.id }
        },
      ],
      [
        'rename a device',
        [['device.update', 'Renamed the device Phone of Ada Lovelace']],
        call('PATCH', to('/devices/:device'), () => ({ name: 'Phone' })),
      ],
      ...devices('Ada Lovelace', ['trust', 'Trusted'], ['untrust', 'Took back the trust in']),
      [
        'change a person',
        [['user.update', 'Updated Ada King']],
        call('PATCH', to('/users/:ada'), () => ({ name: 'Ada King', title: 'Countess' })),
      ],
      [
        'change an address',
        [['user.email.change', 'Changed the e-mail address of Ada King']],
        call('PATCH', to('/users/:ada'), () => ({ email: 'king@example.com' })),
      ],
      [
        'change oneself',
        [['user.update', 'Updated Ada King']],
        call(
          'PATCH',
          to('/me'),
          () => ({ locale: 'en-GB' }),
          () => self,
        ),
      ],
      [
        'give roles',
        [['user.roles.update', 'Set the roles of Ada King to auditor']],
        call('PUT', to('/users/:ada/roles'), () => ({ roles: ['auditor'] })),
      ],
      [
        'add a passkey',
        [['method.add', 'Added a passkey to Ada King']],
        async () => {
          const { ceremonyId, publicKey } = success(
            await as(self)('POST', '/me/methods/passkey/options'),
            200,
          )
          const credential = softPasskey(service.publicUrl).create(publicKey)
          passkey = success(
            await as(self)('POST', '/me/methods/passkey/verify', { ceremonyId, credential, name: 'Laptop' }),
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
          () => self,
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
        call('POST', to('/auth/sign-out'), undefined, () => self),
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
        'suspend',
        [['user.suspend', 'Suspended Ada King']],
        call('POST', to('/users/:ada/suspend'), () => ({ reason: 'On leave' })),
      ],
      [
        'reactivate',
        [['user.reactivate', 'Reactivated Ada King']],
        call('POST', to('/users/:ada/reactivate')),
      ],
      [
        'make a group',
        [['group.create', 'Created the group Staff']],
        keep(
          'group',
          call('POST', to('/groups'), () => ({ name: 'Staff' })),
        ),
      ],
      [
        'change a group',
        [['group.update', 'Updated the group People']],
        call('PATCH', to('/groups/:group'), () => ({ name: 'People' })),
      ],
      [
        'set a rule',
        [['group.rule.update', 'Set the rule of the group People']],
        call('PATCH', to('/groups/:group'), () => ({ rule })),
      ],
      [
        'add a member',
        [['group.member.add', 'Added Ada King to the group People (assigned)']],
        call('PUT', to('/groups/:group/members/:ada'), () => ({})),
      ],
      [
        'remove a member',
        [['group.member.remove', 'Removed Ada King from the group People (removed)']],
        call('DELETE', to('/groups/:group/members/:ada')),
      ],
      [
        'register an application',
        [
          ['application.create', 'Created the application Payroll'],
          ['application.secret.create', 'Created a client secret of Payroll'],
          ['application.group.assign', 'Assigned the group People to the application Payroll'],
        ],
        keep(
          'app',
          call('POST', to('/applications'), () => payroll('Payroll', { groupIds: [of('group')] })),
        ),
      ],
      [
        'change an application',
        [['application.update', 'Updated the application Wages']],
        call('PATCH', to('/applications/:app'), () => ({ name: 'Wages' })),
      ],
      [
        'unassign a group',
        [['application.group.unassign', 'Unassigned the group People from the application Wages']],
        call('DELETE', to('/applications/:app/groups/:group')),
      ],
      [
        'make a secret',
        [['application.secret.create', 'Created a client secret of Wages']],
        keep(
          'secret',
          call('POST', to('/applications/:app/secrets'), () => ({})),
        ),
      ],
      [
        'revoke a secret',
        [['application.secret.revoke', 'Revoked a client secret of Wages']],
        call('DELETE', to('/applications/:app/secrets/:secret')),
      ],
      [
        'rotate the secret',
        [['application.secret.rotate', 'Rotated a client secret of Wages']],
        call('POST', to('/applications/:app/secret/rotate'), () => ({ graceSeconds: 60 })),
      ],
      [
        'make an API',
        [['api_resource.create', 'Created the API resource Invoices']],
        keep(
          'api',
          call('POST', to('/api-resources'), () => ({
            identifier: 'urn:i',
            name: 'Invoices',
            scopes: scopes('i:read'),
          })),
        ),
      ],
      [
        'rename an API',
        [['api_resource.update', 'Updated the API resource Bills']],
        call('PATCH', to('/api-resources/:api'), () => ({ name: 'Bills' })),
      ],
      [
        'add a scope',
        [['api_resource.scope.add', 'Added the scope i:write to the API resource Bills']],
        call('PATCH', to('/api-resources/:api'), () => ({ scopes: scopes('i:read', 'i:write') })),
      ],
      [
        'remove a scope',
        [['api_resource.scope.remove', 'Removed the scope i:write from the API resource Bills']],
        call('PATCH', to('/api-resources/:api'), () => ({ scopes: scopes('i:read') })),
      ],
      [
        'grant an API',
        [
          [
            'application.api_grant.update',
            'Granted i:read of the API resource Bills to the application Wages',
          ],
        ],
        call('PUT', to('/api-resources/:api/grants/:app'), () => ({ scopes: ['i:read'] })),
      ],
      [
        'withdraw the grant',
        [
          [
            'application.api_grant.update',
            'Withdrew the grant of the API resource Bills from the application Wages',
          ],
        ],
        call('DELETE', to('/api-resources/:api/grants/:app')),
      ],
      [
        'delete the API',
        [['api_resource.delete', 'Deleted the API resource Bills']],
        call('DELETE', to('/api-resources/:api')),
      ],
      [
        'disable',
        [['application.disable', 'Disabled the application Wages']],
        call('POST', to('/applications/:app/disable')),
      ],
      [
        'enable',
        [['application.enable', 'Enabled the application Wages']],
        call('POST', to('/applications/:app/enable')),
      ],
      [
        'delete an application',
        [['application.delete', 'Deleted the application Wages']],
        call('DELETE', to('/applications/:app')),
      ],
      [
        'delete a group',
        [['group.delete', 'Deleted the group People']],
        call('DELETE', to('/groups/:group')),
      ],
      [
        'approve a device',
        [['device_login.approve', 'Approved a sign-in of Grace Admin to Command line on another device']],
        async () => device.approve(await userCode(), admin),
      ],
      [
        'deny a device',
        [['device_login.deny', 'Denied a sign-in to Command line on another device, shown to Grace Admin']],
        async () => device.deny(await userCode(), admin),
      ],
      [
        'change settings',
        [['organization.update', "Updated the organization's settings"]],
        call('PATCH', to('/settings'), () => ({ organizationName: 'Acme' })),
      ],
      ['delete a person', [['user.delete', 'Deleted Ada King']], call('DELETE', to('/users/:ada'))],
    ]

    /** What was told since the entry before. */
    let last = 'aud_00000000000000000000000000'
    const news = async (): Promise<Json[]> => {
      await audited(service)
      const entries: Json[] = success(await send('GET', `/audit?after=${last}&limit=200`))
      last = entries.at(-1)?.id ?? last
      return entries
    }
    const told = new Set<string>()
    const check = (what: string, entries: Json[], expected: Step[1]): void => {
      const seen = entries.map(({ action, summary }) => [action, summary])
      expect(seen, what).to.have.deep.members(expected.map((each) => [...each]))
      for (const entry of entries) {
        told.add(entry.action)
        expect(entry.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
        expect(targetTypes, what).to.include(entry.targetType)
        expect(entry.summary, what).not.to.match(/somebody|undefined|null|[a-z]{3}_0/)
        expect(entry.outcome).to.equal(entry.action === 'device_login.deny' ? 'denied' : 'success')
        expect(entry.userAgent, what).to.equal(entry.actorId === null ? null : 'node')
        expect(entry.correlationId).to.have.length.greaterThan(10)
        expect(entry.actorId === null, what).to.equal(entry.actorName === null)
      }
    }
    await news()
    for (const [what, expected, cause] of steps) {
      await cause()
      check(what, await news(), expected)
    }

    await send('POST', '/signing-keys/rotate')
    const rotation = await news()
    expect(
      rotation.map(({ action, actorName, target }) => [action, actorName, target === '']),
    ).to.deep.include(['signing_key.rotate', 'Grace Admin', false])
    told.add('signing_key.rotate')

    await send('POST', '/saml/certificate/rotate')
    const [previous] = (await send('GET', '/saml/certificates')).body.filter(
      ({ status }: Json) => status === 'previous',
    )
    await send('DELETE', `/saml/certificates/${String(previous.id)}`)
    for (const { action, actorName } of await news()) {
      expect(actorName).to.equal('Grace Admin')
      told.add(action)
    }

    await call('POST', to('/users/:ada/erase'))()
    check('erasure', await news(), [['user.erase', 'Erased the personal data of a deleted user']])

    const app = await oidc.application('web')
    const person = await oidc.member(app)
    await news()
    const { refresh_token } = await oidc.tokens(app, person)
    await oidc.refresh(app, refresh_token)
    await oidc.refresh(app, refresh_token)
    const outcomes = async () => (await news()).map(({ action, outcome }) => [action, outcome])
    expect(await outcomes()).to.deep.equal([['token.reuse_detected', 'denied']])
    await oidc.revoke(app, (await oidc.tokens(app, person)).refresh_token)
    expect(await outcomes()).to.deep.equal([['token.revoke', 'success']])
    for (const action of ['token.reuse_detected', 'token.revoke']) told.add(action)

    const declared = new Set(apiRoutes(service.core.services).flatMap(({ audit = [] }) => audit))
    const open = [...declared, ...catalogueActions].filter((action) => !told.has(action))
    expect(open.filter((action) => !isDrivenElsewhere(action))).to.deep.equal([])
  })
})
