import { expect } from 'chai'
import fc from 'fast-check'
import { ScimError } from '../../../domain/scim/errors.ts'
import { parseComparisons, parseGroupFilter, parseUserFilter } from '../../../domain/scim/filter.ts'
import { parsePath } from '../../../domain/scim/path.ts'
import { GROUP_URN, USER_URN, userType } from '../../../domain/scim/schemas.ts'

const byUser = (text: string) => parseUserFilter(text, USER_URN)
const byGroup = (text: string) => parseGroupFilter(text, GROUP_URN)

/** Whether text is accepted; any error other than a SCIM error fails the test. */
const understood = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch (error) {
    if (!(error instanceof ScimError)) throw error
    expect(error.status).to.equal(400)
    return false
  }
}

describe('SCIM filters', () => {
  it('SCIM-03 finds users by userName, emails.value and externalId', () => {
    expect(byUser('userName eq "ada"')).to.deep.equal({ by: 'userName', value: 'ada' })
    expect(byUser('USERNAME Eq "Ada"')).to.deep.equal({ by: 'userName', value: 'Ada' })
    expect(byUser('emails.value eq "a@b"')).to.deep.equal({ by: 'email', value: 'a@b' })
    expect(byUser('emails[type eq "work"].value eq "a@b"')).to.deep.equal({ by: 'email', value: 'a@b' })
    expect(byUser('externalId eq "a \\"b\\""')).to.deep.equal({ by: 'externalId', value: 'a "b"' })
    expect(byUser(`${USER_URN}:userName eq "ada"`)).to.deep.equal({ by: 'userName', value: 'ada' })
  })

  it('SCIM-03 finds groups by displayName and externalId, and answers whether one has a member', () => {
    expect(byGroup('displayName eq "Staff"')).to.deep.equal({ by: 'displayName', value: 'Staff' })
    expect(byGroup('externalId eq "x"')).to.deep.equal({ by: 'externalId', value: 'x' })
    expect(byGroup('id eq "g" and members eq "u"')).to.deep.equal({
      by: 'membership',
      groupId: 'g',
      userId: 'u',
    })
  })

  it('SCIM-03 refuses every other operator, attribute and conjunction', () => {
    for (const text of [
      '',
      'userName',
      'userName sw "a"',
      'userName pr',
      'title eq "x"',
      'userName eq "a" and title eq "b"',
      'userName eq "a" or userName eq "b"',
      'not (userName eq "a")',
      'userName eq a',
      'userName eq true',
      'userName eq "a" trailing',
      'userName eq "a',
      'userName eq "\\x"',
      '__proto__ eq "a"',
      'constructor eq "a"',
    ])
      expect(
        understood(() => byUser(text)),
        text,
      ).to.equal(false)
    for (const text of [
      'members eq "u"',
      'id eq "g"',
      'displayName co "x"',
      'id eq "g" and displayName eq "x"',
    ])
      expect(
        understood(() => byGroup(text)),
        text,
      ).to.equal(false)
  })

  it('SCIM-03 reads every JSON value correctly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (value) => {
        const text = `userName eq ${JSON.stringify(value)}`
        fc.pre(text.length <= 1000)
        expect(byUser(text).value).to.equal(value)
      }),
    )
  })

  it('SCIM-03 parses or rejects any text immediately', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'userName',
        ' eq ',
        '"',
        '\\',
        '[',
        ']',
        '.',
        ' and ',
        'true',
        'emails',
        ':',
        '(',
        'urn:',
      ),
      fc.string({ maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('')
        understood(() => byUser(text))
        understood(() => byGroup(text))
        understood(() => parseComparisons(text))
        understood(() => parsePath(userType, text))
      }),
      { numRuns: 2000 },
    )
  })

  it('SCIM-03 is no slower for hostile text', () => {
    const before = process.cpuUsage()
    for (const unit of ['a', '"', 'a"', '\\"', '[', 'a[', 'a["', ' ', 'a eq "b" and ', 'emails[type eq "'])
      for (const end of ['', '!', '"', ']'])
        for (const read of [byUser, byGroup, (text: string) => parsePath(userType, text)])
          understood(() => read(unit.repeat(990 / unit.length) + end))
    // Measures CPU time, because other processes may run at the same time.
    expect(process.cpuUsage(before).user / 1000).to.be.below(1000)
  })
})
