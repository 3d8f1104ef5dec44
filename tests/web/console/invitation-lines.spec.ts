import { expect } from 'chai'
import { readInvitations } from '../../../adapters/inbound/web/browser/console/pages/invitation-lines.ts'

describe('a pasted list of people to invite', () => {
  const cases: readonly (readonly [string, readonly (readonly [string, string])[], readonly string[]])[] = [
    ['Ada Lovelace <ada@example.com>', [['Ada Lovelace', 'ada@example.com']], []],
    ['"Lovelace, Ada" <ada@example.com>', [['Lovelace Ada', 'ada@example.com']], []],
    ['Ada Lovelace,ada@example.com', [['Ada Lovelace', 'ada@example.com']], []],
    ['ada@example.com;Ada Lovelace', [['Ada Lovelace', 'ada@example.com']], []],
    ['Ada\tLovelace\tada@example.com', [['Ada Lovelace', 'ada@example.com']], []],
    ['ada.lovelace@example.com', [['Ada Lovelace', 'ada.lovelace@example.com']], []],
    ['Ada <ada@example.com>\r\n\r\nADA@example.com', [['Ada', 'ada@example.com']], []],
    ['Name, Email\nAda, ada@example.com', [['Ada', 'ada@example.com']], ['Name, Email']],
    ['', [], []],
  ]
  for (const [text, people, unclear] of cases)
    it(`reads ${JSON.stringify(text)}`, () => {
      const read = readInvitations(text)
      expect(read.invitations.map(({ name, email }) => [name, email])).to.deep.equal(people)
      expect(read.unclear).to.deep.equal(unclear)
    })
})
