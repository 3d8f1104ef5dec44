import { expect } from 'chai'
import {
  provisioningDecider,
  provisioningStream,
  type ProvisioningCommand,
} from '../../domain/provisioning/decider.ts'
import type { ProvisioningEvent } from '../../domain/provisioning/events.ts'
import {
  isMassDeactivation,
  outOfPlace,
  pushFor,
  retrySeconds,
  type KnownAccount,
  type PushAction,
} from '../../domain/provisioning/plan.ts'
import {
  deactivation,
  ENTERPRISE_SCHEMA,
  overlaid,
  USER_SCHEMA,
  userNamed,
  userNameFilter,
  wantedUser,
} from '../../domain/provisioning/resource.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const applicationId = id('application')
const all = { name: true, email: true, title: true, department: true }
const settings = {
  baseUrl: 'https://payroll.example.com/scim/v2',
  authScheme: 'bearer',
  userNameAttribute: 'email',
  attributes: all,
} as const
const configure = (more: object = {}): ProvisioningCommand => ({
  type: 'configure',
  applicationId,
  ...settings,
  enabled: true,
  sealedToken: 'sealed',
  ...more,
})
const configured = {
  type: 'provisioning.configured',
  data: {
    applicationId,
    ...settings,
    sealedToken: 'sealed',
    generation: 1,
    changes: [
      { field: 'baseUrl', from: null, to: settings.baseUrl },
      { field: 'authScheme', from: null, to: 'bearer' },
      { field: 'userNameAttribute', from: null, to: 'email' },
      { field: 'attributes', from: null, to: all },
      { field: 'token', from: null, to: '•' },
    ],
  },
} as const satisfies ProvisioningEvent
const enabled: ProvisioningEvent = { type: 'provisioning.enabled', data: { applicationId } }
const disabled: ProvisioningEvent = { type: 'provisioning.disabled', data: { applicationId } }
const removed: ProvisioningEvent = { type: 'provisioning.removed', data: { applicationId } }
const failed: ProvisioningEvent = {
  type: 'provisioning.failed',
  data: { applicationId, error: 'unauthorized', httpStatus: 401 },
}
const recovered: ProvisioningEvent = { type: 'provisioning.recovered', data: { applicationId } }
const paused: ProvisioningEvent = {
  type: 'provisioning.paused',
  data: { applicationId, deactivations: 60, linked: 200 },
}
const fail: ProvisioningCommand = {
  type: 'fail',
  applicationId,
  generation: 1,
  error: 'unauthorized',
  httpStatus: 401,
}
const pause: ProvisioningCommand = {
  type: 'pause',
  applicationId,
  generation: 1,
  deactivations: 60,
  linked: 200,
}
const provisioning = (...past: readonly ProvisioningEvent[]) => given(provisioningDecider, ...past)

describe('Provisioning of an application', () => {
  it('SCX-04 is set up with an address and a token', () => {
    expect(provisioningStream(applicationId)).to.equal(`provisioning-${applicationId}`)
    provisioning().when(configure()).then(configured, enabled)
    provisioning()
      .when(configure({ baseUrl: `${settings.baseUrl}/` }))
      .then(configured, enabled)
    provisioning()
      .when(configure({ enabled: false }))
      .then(configured)
    provisioning(configured, enabled)
      .when(configure({ sealedToken: undefined }))
      .changesNothing()
    provisioning(configured, enabled)
      .when(configure({ sealedToken: undefined, enabled: false }))
      .then(disabled)
    provisioning()
      .when(configure({ sealedToken: undefined }))
      .refuses('ERR_INVALID', /^token: /, '/token')
  })

  it('SCX-04 takes https addresses only, and http for this machine', () => {
    for (const baseUrl of [
      'http://payroll.example.com/scim',
      'https://user:password@payroll.example.com',
      'https://payroll.example.com/scim?tenant=1',
      'https://payroll.example.com/scim#users',
      'ftp://payroll.example.com',
      'payroll.example.com',
      '',
    ])
      provisioning()
        .when(configure({ baseUrl }))
        .refuses('ERR_INVALID', /^baseUrl: /, '/baseUrl')
    expect(
      'events' in
        provisioningDecider.decide(
          configure({ baseUrl: 'http://localhost:8080/scim' }),
          provisioningDecider.initial,
        ),
    ).to.equal(true)
  })

  it('SCX-04 does not send a stored token to another server, and links accounts again there', () => {
    const moved = { baseUrl: 'https://payroll.example.net/scim/v2' }
    provisioning(configured, enabled)
      .when(configure({ ...moved, sealedToken: undefined }))
      .refuses('ERR_INVALID', /^token: /, '/token')
    provisioning(configured, enabled)
      .when(configure({ ...moved, sealedToken: 'other' }))
      .then({
        type: 'provisioning.configured',
        data: {
          applicationId,
          ...settings,
          ...moved,
          sealedToken: 'other',
          generation: 2,
          changes: [
            { field: 'baseUrl', from: settings.baseUrl, to: moved.baseUrl },
            { field: 'token', from: '•', to: '•' },
          ],
        },
      })
    provisioning(configured, enabled)
      .when(configure({ userNameAttribute: 'externalId', sealedToken: undefined }))
      .then({
        type: 'provisioning.configured',
        data: {
          ...configured.data,
          userNameAttribute: 'externalId',
          changes: [{ field: 'userNameAttribute', from: 'email', to: 'externalId' }],
        },
      })
  })

  it('SCX-04 does not exist before it is set up, nor after it was removed', () => {
    const commands: readonly ProvisioningCommand[] = [
      { type: 'remove', applicationId },
      { type: 'resume', applicationId },
      { type: 'recover', applicationId },
      { type: 'request_sync', applicationId, runId: id('run') },
      fail,
      pause,
    ]
    for (const command of commands) {
      provisioning().when(command).refuses('ERR_NOT_CONFIGURED')
      provisioning(configured, enabled, removed).when(command).refuses('ERR_NOT_CONFIGURED')
    }
    provisioning(configured).when({ type: 'remove', applicationId }).then(removed)
    const again = { ...configured, data: { ...configured.data, generation: 2 } }
    provisioning(configured, enabled, removed).when(configure()).then(again, enabled)
  })

  it('SCX-01 is synced on request, unless it is disabled or paused', () => {
    const sync: ProvisioningCommand = { type: 'request_sync', applicationId, runId: id('run') }
    provisioning(configured, enabled)
      .when(sync)
      .then({ type: 'provisioning.sync_requested', data: { applicationId, runId: id('run') } })
    provisioning(configured)
      .when(sync)
      .refuses('ERR_CONFLICT', /disabled/)
    provisioning(configured, enabled, paused)
      .when(sync)
      .refuses('ERR_CONFLICT', /paused/)
  })

  it('SCX-04 reports its first failure and its recovery, once each', () => {
    provisioning(configured, enabled).when(fail).then(failed)
    provisioning(configured, enabled, failed).when(fail).changesNothing()
    provisioning(configured, enabled).when({ type: 'recover', applicationId }).changesNothing()
    provisioning(configured, enabled, failed).when({ type: 'recover', applicationId }).then(recovered)
    provisioning(configured, enabled)
      .when({ ...fail, generation: 2 })
      .changesNothing()
  })

  it('SCX-02 is paused by too many deactivations, until an administrator approves that number', () => {
    provisioning(configured, enabled).when(pause).then(paused)
    provisioning(configured, enabled, paused).when(pause).changesNothing()
    provisioning(configured, enabled)
      .when({ ...pause, generation: 2 })
      .changesNothing()
    provisioning(configured, enabled, paused)
      .when({ type: 'resume', applicationId })
      .then({ type: 'provisioning.resumed', data: { applicationId, allowed: 60 } })
    provisioning(configured, enabled).when({ type: 'resume', applicationId }).changesNothing()
  })
})

const account = (more: Partial<KnownAccount> = {}): KnownAccount => ({
  remoteId: 'r1',
  active: true,
  pushed: 'a',
  attempts: 0,
  nextAttemptAt: null,
  ...more,
})

describe('The planned action for an account', () => {
  const table: readonly [string, string | null, KnownAccount | null, PushAction | null][] = [
    ['wanted, and unknown in the application', 'a', null, 'create'],
    [
      'wanted, and its creation failed',
      'a',
      account({ remoteId: null, active: false, pushed: null }),
      'create',
    ],
    ['wanted, and up to date', 'a', account(), null],
    ['wanted and changed', 'b', account(), 'update'],
    ['wanted, and the last push is unknown', 'a', account({ pushed: null }), 'update'],
    ['wanted again', 'a', account({ active: false, pushed: null }), 'update'],
    ['wanted again, unchanged', 'a', account({ active: false }), 'update'],
    ['not wanted and active', null, account(), 'deactivate'],
    ['not wanted and inactive', null, account({ active: false }), null],
    ['not wanted, and possibly created', null, account({ remoteId: null }), 'deactivate'],
    ['not wanted and never created', null, account({ remoteId: null, active: false }), null],
    ['not wanted, and unknown in the application', null, null, null],
  ]
  for (const [what, wanted, known, action] of table)
    it(`SCX-02 ${what}: ${action ?? 'nothing'}`, () => {
      expect(outOfPlace(wanted, known)).to.equal(action)
      expect(pushFor(wanted, known, 0)).to.equal(action)
    })

  it('SCX-02 waits before another attempt, but not when an administrator requests one', () => {
    const waiting = account({ attempts: 1, nextAttemptAt: '2026-01-01T00:02:00.000000Z' })
    const at = Date.parse('2026-01-01T00:00:00Z')
    expect(pushFor('b', waiting, at)).to.equal(null)
    expect(pushFor('b', waiting, at + 120_000)).to.equal('update')
    expect(pushFor('b', waiting, null)).to.equal('update')
    expect([1, 2, 3, 5, 6, 50].map(retrySeconds)).to.deep.equal([120, 240, 480, 1920, 3600, 3600])
  })

  it('SCX-02 more than ten and more than a fifth are too many, also in small steps, unless approved', () => {
    const mass = (deactivations: number, active: number, recent = 0, allowed = 0) =>
      isMassDeactivation({ deactivations, active, recent, allowed })
    expect(mass(10, 10)).to.equal(false)
    expect(mass(11, 11)).to.equal(true)
    expect(mass(20, 100)).to.equal(false)
    expect(mass(21, 100)).to.equal(true)
    expect(mass(1, 80, 20)).to.equal(true)
    expect(mass(0, 10, 90)).to.equal(false)
    expect(mass(60, 100, 0, 60)).to.equal(false)
    expect(mass(30, 70, 30, 60)).to.equal(false)
    expect(mass(82, 100, 0, 60)).to.equal(true)
  })
})

describe('A user as a SCIM resource', () => {
  const person = {
    userId: id('user'),
    email: 'ada@example.com',
    name: 'Ada King Lovelace',
    givenName: null,
    familyName: null,
    title: 'Analyst',
    department: null,
    externalId: null,
  }
  const wanted = (more: object = {}, attributes: object = {}) =>
    wantedUser({ ...person, ...more }, { userNameAttribute: 'email', attributes: { ...all, ...attributes } })

  it('SCX-02 has our id, a user name, and the attributes to push', () => {
    expect(wanted()).to.deep.equal({
      externalId: person.userId,
      userName: 'ada@example.com',
      displayName: 'Ada King Lovelace',
      name: { formatted: 'Ada King Lovelace', givenName: 'Ada King', familyName: 'Lovelace' },
      email: 'ada@example.com',
      title: 'Analyst',
      department: null,
    })
    expect(wanted({ name: 'Plato' })?.name).to.deep.equal({
      formatted: 'Plato',
      givenName: 'Plato',
      familyName: 'Plato',
    })
    expect(wanted({}, { name: false, email: false, title: false, department: false })).to.deep.equal({
      externalId: person.userId,
      userName: 'ada@example.com',
    })
    const byExternalId = (externalId: string | null) =>
      wantedUser({ ...person, externalId }, { userNameAttribute: 'externalId', attributes: all })
    expect(byExternalId('1234')?.userName).to.equal('1234')
    expect(byExternalId(null)).to.equal(null)
  })

  it('SCX-02 keeps values that others have stored', () => {
    const ours = wanted({ department: 'Engines' })
    if (ours === null) expect.fail()
    const held = {
      schemas: [USER_SCHEMA, 'urn:example:badge'],
      id: 'r1',
      userName: 'old@example.com',
      nickName: 'Countess',
      title: 'Old',
      name: { givenName: 'A', middleName: 'M' },
      emails: [
        { value: 'old@example.com', type: 'work', primary: true },
        { value: 'home@example.org', type: 'home' },
      ],
      [ENTERPRISE_SCHEMA]: { costCenter: '7', department: 'Old' },
      'urn:example:badge': { number: 9 },
      meta: { version: 'x' },
      groups: [{ value: 'g' }],
      active: false,
    }
    expect(overlaid(ours, held)).to.deep.equal({
      schemas: [USER_SCHEMA, 'urn:example:badge', ENTERPRISE_SCHEMA],
      id: 'r1',
      externalId: person.userId,
      userName: 'ada@example.com',
      active: true,
      nickName: 'Countess',
      displayName: 'Ada King Lovelace',
      title: 'Analyst',
      name: {
        middleName: 'M',
        formatted: 'Ada King Lovelace',
        givenName: 'Ada King',
        familyName: 'Lovelace',
      },
      emails: [
        { type: 'work', value: 'ada@example.com', primary: true },
        { value: 'home@example.org', type: 'home' },
      ],
      [ENTERPRISE_SCHEMA]: { costCenter: '7', department: 'Engines' },
      'urn:example:badge': { number: 9 },
    })
    const cleared = wanted({ title: null })
    if (cleared === null) expect.fail()
    expect(overlaid(cleared, held)).to.not.have.property('title')
    expect(overlaid(cleared, held)[ENTERPRISE_SCHEMA]).to.deep.equal({ costCenter: '7' })
  })

  it('SCX-02 SCX-03 is deactivated with a boolean, in lower case', () => {
    expect(deactivation['Operations']).to.deep.equal([{ op: 'replace', path: 'active', value: false }])
  })

  it('SCX-02 is found by its user name, in any letter case, when it is the only one', () => {
    expect(userNameFilter('o"neil\\x@example.com')).to.equal('userName eq "o\\"neil\\\\x@example.com"')
    const user = { id: 'r1', userName: 'Ada@Example.com' }
    expect(userNamed({ Resources: [user, { id: 'r2', userName: 'b' }] }, 'ada@example.com')).to.equal(user)
    for (const list of [
      null,
      [],
      {},
      { Resources: [] },
      { Resources: [user, user] },
      { Resources: [{ userName: 'ada@example.com' }] },
    ])
      expect(userNamed(list, 'ada@example.com')).to.equal(null)
  })
})
