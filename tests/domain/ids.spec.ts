import { expect } from 'chai'
import { idPattern, idPrefixes, isId, type IdKind } from '../../domain/ids.ts'

const kinds = Object.keys(idPrefixes) as readonly IdKind[]
const published =
  'usr_ grp_ app_ crd_ ses_ evt_ aud_ pkg_ req_ rev_ lcr_ pol_ nz_ dev_ rsk_ key_ idp_ whk_ api_ spm_ dom_ atk_'.split(
    ' ',
  )
const ulid = '01JZ8Q4V5W6X7Y8Z9ABCDEFGHJ'

describe('Ids', () => {
  it('ID-01 have every published prefix, each for one kind', () => {
    const prefixes = Object.values(idPrefixes)
    expect(prefixes).to.include.members(published)
    expect(new Set(prefixes).size).to.equal(prefixes.length)
    for (const prefix of prefixes) expect(prefix).to.match(/^[a-z]{2,3}_$/)
  })
  it('ID-01 are a prefix and 26 characters of Crockford base32', () => {
    for (const kind of kinds) {
      expect(isId(kind, `${idPrefixes[kind]}${ulid}`), kind).to.equal(true)
      for (const other of kinds)
        if (other !== kind)
          expect(isId(kind, `${idPrefixes[other]}${ulid}`), `${other} as ${kind}`).to.equal(false)
    }
  })
  const wrong: readonly (readonly [string, string])[] = [
    ['empty', ''],
    ['no prefix', ulid],
    ['no ULID', 'usr_'],
    ['too short', `usr_${ulid.slice(1)}`],
    ['too long', `usr_${ulid}0`],
    ['lower case', `usr_${ulid.toLowerCase()}`],
    ['a prefix in capitals', `USR_${ulid}`],
    ['I, L, O or U', `usr_${ulid.slice(0, 25)}U`],
    ['a time past the last ULID', `usr_8${ulid.slice(1)}`],
    ['a space before', ` usr_${ulid}`],
    ['a line break after', `usr_${ulid}\n`],
    ['a path inside', `usr_${ulid.slice(0, 23)}../`],
  ]
  for (const [what, value] of wrong)
    it(`ID-01 rejects ${what}`, () => {
      expect(isId('user', value)).to.equal(false)
    })
  it('ID-01 have a pattern that JSON Schema can use', () => {
    expect(new RegExp(idPattern('user'), 'u').test(`usr_${ulid}`)).to.equal(true)
  })
})
