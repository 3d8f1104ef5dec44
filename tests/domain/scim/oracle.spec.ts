import { expect } from 'chai'
import SCIMMY from 'scimmy'
import { readResource } from '../../../domain/scim/normalise.ts'
import { applyStep, PATCH_URN, readSteps } from '../../../domain/scim/patch.ts'
import { USER_URN, userType } from '../../../domain/scim/schemas.ts'

const sent = {
  schemas: [USER_URN],
  userName: 'ada',
  name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
  title: 'Countess',
  active: true,
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
}

/** Returns the attributes that both support, as plain JSON. */
const plain = (resource: object): Record<string, unknown> => {
  const { schemas: _, meta: __, ...rest } = JSON.parse(JSON.stringify(resource)) as Record<string, unknown>
  return rest
}

const bySpec = async (Operations: readonly object[]): Promise<Record<string, unknown>> => {
  const before = new SCIMMY.Schemas.User(sent, 'in')
  const message = new SCIMMY.Messages.PatchOp({ schemas: [PATCH_URN], Operations } as never)
  return plain((await message.apply(before)) ?? before)
}

const byOurs = (Operations: readonly object[]): Record<string, unknown> =>
  plain(
    readSteps(userType, { schemas: [PATCH_URN], Operations }).reduce(applyStep, readResource(userType, sent))
      .core,
  )

describe('SCIM PATCH compared with another implementation', () => {
  const cases: Record<string, readonly object[]> = {
    'replaces a value': [{ op: 'replace', path: 'title', value: 'Analyst' }],
    'adds without a path': [{ op: 'add', value: { displayName: 'Ada', locale: 'en-GB' } }],
    'replaces without a path': [{ op: 'replace', value: { active: false, title: 'Analyst' } }],
    'replaces part of a complex value': [{ op: 'replace', path: 'name.familyName', value: 'King' }],
    'adds to a complex value': [{ op: 'add', path: 'name', value: { givenName: 'Augusta' } }],
    'removes a value': [{ op: 'remove', path: 'title' }],
    'removes part of a complex value': [{ op: 'remove', path: 'name.formatted' }],
    'replaces a list': [
      { op: 'replace', path: 'emails', value: [{ value: 'one@example.com', type: 'work' }] },
    ],
    'adds to a list': [{ op: 'add', path: 'emails', value: [{ value: 'new@example.com', type: 'other' }] }],
    'removes from a list by filter': [{ op: 'remove', path: 'emails[type eq "home"]' }],
    'replaces part of a value by filter': [
      { op: 'replace', path: 'emails[type eq "home"].value', value: 'new@home.example' },
    ],
    'removes a list': [{ op: 'remove', path: 'emails' }],
    'applies operations in sequence': [
      { op: 'remove', path: 'emails' },
      { op: 'add', path: 'emails', value: [{ value: 'last@example.com', type: 'work' }] },
      { op: 'replace', path: 'userName', value: 'lovelace' },
    ],
  }
  for (const [what, operations] of Object.entries(cases))
    it(`RFC 7644 §3.5.2 ${what}`, async () => {
      expect(byOurs(operations)).to.deep.equal(await bySpec(operations))
    })
})
