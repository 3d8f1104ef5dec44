import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { fromAuth0 } from '../../domain/import/auth0.ts'
import { groupColumnsOf, groupOfCells, userColumnsOf, userOfCells } from '../../domain/import/csv-columns.ts'
import { fromKeycloak } from '../../domain/import/keycloak.ts'
import { linesOf, type ImportLine } from '../../domain/import/lines.ts'
import { fromOkta } from '../../domain/import/okta.ts'
import { planLine, type ImportFacts } from '../../domain/import/plan.ts'
import type { ImportedRecord } from '../../domain/import/records.ts'

const data = (name: string): string =>
  readFileSync(new URL(`../support/import/data/${name}`, import.meta.url), 'utf8')

const noChecks = { profile: () => undefined, group: () => undefined }

describe('Import', () => {
  it('API-11 reads a realm export of Keycloak: groups by path, attributes, who is left out', () => {
    expect(fromKeycloak(JSON.parse(data('keycloak-realm.json')))).to.deep.equal([
      { kind: 'group', line: 1, name: 'Engineering' },
      { kind: 'group', line: 2, name: 'Engineering/Platform' },
      { kind: 'group', line: 3, name: 'Finance', description: 'Pays the bills' },
      {
        kind: 'user',
        line: 1,
        profile: {
          department: 'Engineering',
          phone: '+44 20 7946 0000',
          locale: 'en-GB',
          email: 'ada@acme.example',
          givenName: 'Ada',
          familyName: 'Lovelace',
          userName: 'ada',
          name: 'Ada Lovelace',
          custom: { costCenter: '4711' },
        },
        groups: ['Engineering/Platform', 'Finance'],
      },
      {
        kind: 'user',
        line: 2,
        profile: { email: 'grace@acme.example', userName: 'grace', name: 'grace' },
        groups: [],
      },
      {
        kind: 'user',
        line: 3,
        profile: { email: 'left@acme.example', userName: 'left', name: 'left' },
        groups: [],
        skipped: 'disabled in the source',
      },
      { kind: 'user', line: 4, profile: { userName: 'nomail' }, groups: [] },
      {
        kind: 'user',
        line: 5,
        profile: { userName: 'service-account-billing' },
        groups: [],
        skipped: 'a service account',
      },
    ])
  })

  it('API-11 reads users of Okta: profile, manager, attributes of its own, who is left out', () => {
    expect(fromOkta(JSON.parse(data('okta-users.json')))).to.deep.equal([
      {
        kind: 'user',
        line: 1,
        profile: {
          email: 'isaac.brock@acme.example',
          userName: 'isaac.brock@acme.example',
          name: 'Dr. Isaac Brock',
          givenName: 'Isaac',
          familyName: 'Brock',
          department: 'Research',
          title: 'Engineer',
          employeeId: '187',
          phone: '+1-555-415-1337',
          locale: 'en-US',
          timeZone: 'America/Los_Angeles',
          location: 'San Francisco',
          custom: { shirtSize: 'M' },
        },
        groups: [],
        manager: 'ada@acme.example',
      },
      {
        kind: 'user',
        line: 2,
        profile: {
          email: 'gone@acme.example',
          userName: 'gone@acme.example',
          givenName: 'G',
          familyName: 'One',
          name: 'G One',
        },
        groups: [],
        skipped: 'suspended or deactivated in the source',
      },
    ])
  })

  it('API-11 reads a user export of Auth0: no name that is an address, text of user_metadata, who is left out', () => {
    const users = data('auth0-users.ndjson')
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(fromAuth0(users)).to.deep.equal([
      {
        kind: 'user',
        line: 1,
        profile: {
          email: 'mary@acme.example',
          givenName: 'Mary',
          familyName: 'Somerville',
          name: 'Mary Somerville',
          custom: { team: 'Tides' },
        },
        groups: [],
      },
      {
        kind: 'user',
        line: 2,
        profile: { email: 'hedy@acme.example', name: 'Hedy Lamarr' },
        groups: [],
        skipped: 'blocked in the source',
      },
    ])
  })

  it('API-11 refuses what is no such export, and never fails otherwise', () => {
    for (const wrong of [null, 1, 'x', [], {}, [1], { users: 'x' }])
      expect(fromKeycloak(wrong), JSON.stringify(wrong)).to.be.a('string')
    for (const wrong of [null, {}, [1], [{}], [{ profile: [] }]])
      expect(fromOkta(wrong), JSON.stringify(wrong)).to.be.a('string')
    expect(fromAuth0([{ name: 'x' }])).to.be.a('string')
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fromKeycloak(value)
        fromKeycloak({ users: [value], groups: [value] })
        fromOkta(value)
        fromOkta([{ profile: value, groups: value }])
        fromAuth0([value, { email: value, user_metadata: value }])
      }),
    )
  })

  it('API-11 knows the columns of other products, custom attributes and what it ignores', () => {
    const columns = userColumnsOf(['E-Mail', 'First name', 'custom.badge', 'Shoe size', 'Groups', 'Phone'])
    if (typeof columns === 'string') throw new Error(columns)
    expect(columns.ignored).to.deep.equal(['Shoe size'])
    const cells = ['ada@acme.example', ' Ada ', '17', '38', 'A; B ;A;', "'+44 20"]
    expect(userOfCells(columns, cells, 2)).to.deep.equal({
      kind: 'user',
      line: 2,
      profile: {
        email: 'ada@acme.example',
        givenName: 'Ada',
        phone: '+44 20',
        name: 'Ada',
        custom: { badge: '17' },
      },
      groups: ['A', 'B'],
    })
    expect(userColumnsOf(['name'])).to.match(/expected a header with a column email/)
    expect(userColumnsOf(['email', 'Mail'])).to.match(/two columns are email/)
    const groups = groupColumnsOf(['Group name', 'Description'])
    if (typeof groups === 'string') throw new Error(groups)
    expect(groupOfCells(groups, ['Engineering', ''], 3)).to.deep.equal({
      kind: 'group',
      line: 3,
      name: 'Engineering',
    })
  })

  const user = (line: number, email: string | undefined, more = {}): ImportedRecord => ({
    kind: 'user',
    line,
    profile: { ...(email === undefined ? {} : { email }), name: 'x' },
    groups: [],
    ...more,
  })

  it('API-11 orders lines so that each needs only what is before it, and names what is wrong with the file', () => {
    const lines = linesOf(
      [
        user(2, 'ada@acme.example', { groups: ['Engineering', 'Finance'], manager: 'grace@acme.example' }),
        user(3, 'ADA@acme.example', { groups: ['Nobody'] }),
        user(4, undefined),
        user(5, 'left@acme.example', { skipped: 'disabled in the source', groups: ['Nobody'] }),
        { kind: 'group', line: 1, name: 'engineering' },
        { kind: 'group', line: 2, name: 'Engineering' },
      ],
      noChecks,
    )
    expect(
      lines.map((line) => {
        const label =
          line.kind === 'group' ? line.name : line.kind === 'user' ? line.profile.email : line.email
        return [line.kind, line.line, label ?? '', line.problem ?? ''].join(' ').trim()
      }),
    ).to.deep.equal([
      'group 1 engineering',
      'group 2 Engineering the same as on line 1: Engineering',
      'group 2 Finance',
      'user 2 ada@acme.example',
      'user 3 ADA@acme.example the same as on line 2: ADA@acme.example',
      'user 4  email: is missing',
      'user 5 left@acme.example',
      'manager 2 ada@acme.example',
      'member 2 ada@acme.example',
      'member 2 ada@acme.example',
    ])
  })

  const ada = { id: 'usr_1', profile: { email: 'ada@acme.example', name: 'Ada', custom: { badge: '1' } } }
  const facts: ImportFacts = {
    user: (email) => (email === 'ada@acme.example' ? ada : undefined),
    group: (name) => (name === 'Engineering' ? { id: 'grp_1', description: null } : undefined),
    isMember: () => true,
    createsUser: (email) => email === 'new@acme.example',
    createsGroup: (name) => name === 'New',
  }
  const of = (line: object): ImportLine => ({ line: 1, ...line }) as ImportLine
  const named = (profile: object): ImportLine => of({ kind: 'user', profile: { ...profile } })

  it('API-11 decides each line from what exists', () => {
    const cases: readonly (readonly [ImportLine, string, RegExp | object | null])[] = [
      [of({ ...named({ email: 'x' }), problem: 'wrong' }), 'error', /^wrong$/],
      [of({ ...named({ email: 'x' }), skipped: 'disabled' }), 'skip', /^disabled$/],
      [named({ email: 'new@acme.example', name: 'N' }), 'create', null],
      [named({ email: 'ada@acme.example', name: 'Ada' }), 'none', null],
      [
        named({ email: 'ada@acme.example', name: 'Ada L', custom: { team: 'T' } }),
        'update',
        [
          { field: 'name', from: 'Ada', to: 'Ada L' },
          { field: 'custom', from: { badge: '1' }, to: { badge: '1', team: 'T' } },
        ],
      ],
      [of({ kind: 'group', name: 'Other' }), 'create', null],
      [of({ kind: 'group', name: 'Engineering' }), 'none', null],
      [of({ kind: 'group', name: 'Engineering', description: 'D' }), 'update', null],
      [of({ kind: 'manager', email: 'ada@acme.example', manager: 'new@acme.example' }), 'update', null],
      [of({ kind: 'manager', email: 'ada@acme.example', manager: 'no@acme.example' }), 'error', /no@acme/],
      [of({ kind: 'manager', email: 'ada@acme.example', manager: 'ADA@acme.example' }), 'error', /no user/],
      [
        of({ kind: 'manager', email: 'no@acme.example', manager: 'ada@acme.example' }),
        'error',
        /not imported/,
      ],
      [of({ kind: 'member', email: 'ada@acme.example', group: 'Engineering' }), 'none', null],
      [of({ kind: 'member', email: 'ada@acme.example', group: 'New' }), 'add', null],
      [of({ kind: 'member', email: 'new@acme.example', group: 'Engineering' }), 'add', null],
      [of({ kind: 'member', email: 'no@acme.example', group: 'Engineering' }), 'error', /not imported/],
      [of({ kind: 'member', email: 'ada@acme.example', group: 'No' }), 'error', /not imported/],
    ]
    for (const [line, action, expected] of cases) {
      const planned = planLine(line, facts, { update: true })
      expect(planned.action, JSON.stringify(line)).to.equal(action)
      if (expected instanceof RegExp) expect(planned.message).to.match(expected)
      else if (expected !== null) expect(planned.changes).to.deep.equal(expected)
    }
  })

  it('API-11 leaves what exists alone if it should not be updated, and never changes an address', () => {
    const line = named({ email: 'ada@acme.example', name: 'Ada L' })
    expect(planLine(line, facts, { update: false })).to.include({ action: 'skip', message: 'exists already' })
    const upper = { ...facts, user: () => ada }
    const same = named({ email: 'ADA@acme.example', name: 'Ada' })
    expect(planLine(same, upper, { update: true }).action).to.equal('none')
  })
})
