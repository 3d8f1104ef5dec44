import { expect } from 'chai'
import { ScimError } from '../../../domain/scim/errors.ts'
import { memberChangeOf } from '../../../domain/scim/members.ts'
import type { Resource } from '../../../domain/scim/normalise.ts'
import { applyStep, PATCH_URN, readSteps } from '../../../domain/scim/patch.ts'
import { ENTERPRISE_URN, groupType, USER_URN, userType } from '../../../domain/scim/schemas.ts'

const ada: Resource = {
  core: {
    userName: 'ada',
    name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
    displayName: 'Ada Lovelace',
    active: true,
    emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  },
  extension: { department: 'Engines' },
}

const patched = (operations: readonly unknown[], before = ada): Resource =>
  readSteps(userType, { schemas: [PATCH_URN], Operations: operations }).reduce(applyStep, before)

const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ScimError) return `${String(error.status)} ${String(error.scimType)}`
    throw error
  }
  return 'accepted'
}

const refused = (...operations: readonly unknown[]): string => refusal(() => patched(operations))

describe('SCIM PATCH', () => {
  it('SCIM-01 accepts operations in any letter case', () => {
    for (const op of ['replace', 'Replace', 'REPLACE'])
      expect(patched([{ op, path: 'TITLE', value: 'Countess' }]).core['title']).to.equal('Countess')
  })

  it('SCIM-01 accepts booleans as text, as Entra ID writes them', () => {
    for (const value of ['False', 'false', false])
      expect(patched([{ op: 'Replace', path: 'active', value }]).core['active']).to.equal(false)
    expect(patched([{ op: 'Replace', path: 'active', value: 'True' }]).core['active']).to.equal(true)
    expect(refused({ op: 'Replace', path: 'active', value: 'maybe' })).to.equal('400 invalidValue')
  })

  it('SCIM-01 accepts values without a path, with dotted and URN keys', () => {
    const { core, extension } = patched([
      {
        op: 'add',
        value: {
          'name.givenName': 'Augusta',
          title: 'Countess',
          [`${ENTERPRISE_URN}:department`]: 'Mathematics',
          [`${USER_URN}:locale`]: 'en-GB',
          id: 'usr_other',
          unheardOf: { of: 1 },
        },
      },
      { op: 'add', value: { [ENTERPRISE_URN]: { employeeNumber: 7 } } },
    ])
    expect(core['name']).to.deep.equal({
      formatted: 'Ada Lovelace',
      givenName: 'Augusta',
      familyName: 'Lovelace',
    })
    expect(core)
      .to.include({ title: 'Countess', locale: 'en-GB' })
      .and.not.to.have.any.keys('id', 'unheardOf')
    expect(extension).to.deep.equal({ department: 'Mathematics', employeeNumber: '7' })
  })

  it('SCIM-01 replaces a value by filter, and adds a missing one', () => {
    const path = 'emails[type eq "work"].value'
    const replaced = patched([{ op: 'Replace', path, value: 'lovelace@example.com' }])
    expect(replaced.core['emails']).to.deep.equal([
      { value: 'lovelace@example.com', type: 'work', primary: true },
    ])
    const { emails: _, ...bare } = ada.core
    for (const op of ['Add', 'Replace'])
      expect(
        patched([{ op, path, value: 'new@example.com' }], { ...ada, core: bare }).core['emails'],
      ).to.deep.equal([{ type: 'work', value: 'new@example.com' }])
  })

  it('RFC 7643 §2.4 leaves one value primary: the one set last', () => {
    const home = { value: 'home@example.com', type: 'home', primary: true }
    expect(patched([{ op: 'add', path: 'emails', value: [home] }]).core['emails']).to.deep.equal([
      { value: 'ada@example.com', type: 'work' },
      home,
    ])
  })

  it('RFC 7644 §3.5.2.2 removes attributes, parts, values and the values of a list', () => {
    expect(patched([{ op: 'remove', path: 'displayName' }]).core).not.to.have.property('displayName')
    expect(patched([{ op: 'remove', path: 'name.familyName' }]).core['name']).not.to.have.property(
      'familyName',
    )
    expect(patched([{ op: 'remove', path: 'emails[type eq "work"]' }]).core).not.to.have.property('emails')
    expect(
      patched([{ op: 'remove', path: 'emails', value: [{ value: 'ADA@example.com' }] }]).core,
    ).not.to.have.property('emails')
    expect(patched([{ op: 'remove', path: ENTERPRISE_URN }]).extension).to.deep.equal({})
    expect(patched([{ op: 'replace', path: 'title', value: null }]).core).not.to.have.property('title')
  })

  it('SCIM-01 accepts a manager as text, object and list of one', () => {
    const path = `${ENTERPRISE_URN}:manager`
    for (const value of ['usr_1', { value: 'usr_1' }, [{ $ref: 'https://x/Users/usr_1', value: 'usr_1' }]])
      expect(patched([{ op: 'Add', path, value }]).extension['manager']).to.include({ value: 'usr_1' })
  })

  it('SCIM-01 ignores attributes of the RFC that the service does not store', () => {
    for (const path of ['nickName', 'addresses[type eq "work"].locality', 'password', 'name.middleName'])
      expect(patched([{ op: 'Add', path, value: 'x' }]), path).to.deep.equal(ada)
    expect(patched([{ op: 'Add', path: 'urn:custom:2.0:User:colour', value: 'red' }])).to.deep.equal(ada)
  })

  it('RFC 7644 §3.12 reports which part of an operation is wrong', () => {
    expect(refused({ op: 'move', path: 'title', value: 'x' })).to.equal('400 invalidSyntax')
    expect(refused({ op: 'remove' })).to.equal('400 noTarget')
    expect(refused({ op: 'add', path: 'title' })).to.equal('400 invalidValue')
    expect(refused({ op: 'add', path: 'title..x', value: 'x' })).to.equal('400 invalidPath')
    expect(refused({ op: 'add', path: 'unheardOf', value: 'x' })).to.equal('400 invalidPath')
    expect(refused({ op: 'replace', path: 'id', value: 'x' })).to.equal('400 mutability')
    expect(refused({ op: 'replace', path: 'groups', value: [] })).to.equal('400 mutability')
    expect(refused({ op: 'replace', path: 'emails[type ne "work"].value', value: 'x' })).to.equal(
      '400 invalidFilter',
    )
    expect(refused({ op: 'replace', value: 'x' })).to.equal('400 invalidValue')
    expect(refusal(() => readSteps(userType, { Operations: [] }))).to.equal('400 invalidSyntax')
    expect(refusal(() => readSteps(userType, { schemas: [USER_URN], Operations: [{}] }))).to.equal(
      '400 invalidSyntax',
    )
    const many = Array.from({ length: 1001 }, () => ({ op: 'add', path: 'title', value: 'x' }))
    expect(refusal(() => readSteps(userType, { Operations: many }))).to.equal('400 tooMany')
  })

  it('never reaches a prototype', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    const paths = names.flatMap((name) => [
      name,
      `${name}.polluted`,
      `constructor.${name}`,
      `name.${name}`,
      `emails[type eq "work"].${name}`,
      `emails[${name} eq "x"]`,
      `${ENTERPRISE_URN}:${name}.polluted`,
      `${USER_URN}:${name}`,
    ])
    for (const op of ['add', 'replace', 'remove'])
      for (const path of paths)
        expect(refused({ op, path, value: { polluted: 'yes' } }), path).to.match(/^400 /)
    const value = JSON.parse(
      '{"__proto__": {"polluted": "yes"}, "constructor.prototype.polluted": "yes", "name": {"__proto__": {"polluted": 1}}}',
    ) as unknown
    const after = patched([{ op: 'add', value }])
    expect(after.core['name']).to.deep.equal(ada.core['name'])
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined)
  })
})

describe('SCIM PATCH of members', () => {
  const change = (...operations: readonly unknown[]) => {
    const { whole, add, remove } = memberChangeOf(readSteps(groupType, { Operations: operations }))
    return { whole, add: [...add], remove: [...remove] }
  }
  const members = (...ids: readonly string[]) => ids.map((value) => ({ value }))

  it('SCIM-01 adds and removes members; the last operation wins', () => {
    expect(
      change(
        { op: 'Add', path: 'members', value: [{ $ref: null, value: 'a' }, { value: 'b' }] },
        { op: 'Remove', path: 'members', value: members('b', 'c') },
        { op: 'remove', path: 'members[value eq "d"]' },
        { op: 'add', value: { members: members('c') } },
      ),
    ).to.deep.equal({ whole: false, add: ['a', 'c'], remove: ['b', 'd'] })
  })

  it('SCIM-01 replaces the whole list', () => {
    const replace = { op: 'replace', path: 'members', value: members('a') }
    expect(change({ op: 'add', path: 'members', value: members('z') }, replace)).to.deep.equal({
      whole: true,
      add: ['a'],
      remove: [],
    })
    expect(change({ op: 'remove', path: 'members' })).to.deep.equal({ whole: true, add: [], remove: [] })
  })

  it('RFC 7644 §3.5.2 rejects changes of parts of a member', () => {
    expect(
      refusal(() => change({ op: 'replace', path: 'members[value eq "a"].display', value: 'A' })),
    ).to.equal('400 mutability')
    expect(refusal(() => change({ op: 'remove', path: 'members[display eq "A"]' }))).to.equal(
      '400 invalidFilter',
    )
    expect(refusal(() => change({ op: 'add', path: 'members', value: [{ display: 'A' }] }))).to.equal(
      '400 invalidValue',
    )
  })
})
