import { expect } from 'chai'
import { breakableParts } from '../../domain/breaks.ts'

describe('breaks in a line', () => {
  for (const [value, ...parts] of [
    ['https://id.example.com/a/b?c=d', 'https://', 'id.', 'example.', 'com/', 'a/', 'b?', 'c=', 'd'],
    ['ada.lovelace@example.com', 'ada.', 'lovelace@', 'example.', 'com'],
    ['user.roles_update', 'user.', 'roles_', 'update'],
    ['urn:oasis:1.1:nameid', 'urn:', 'oasis:', '1.1:', 'nameid'],
    ['192.0.2.1', '192.0.2.1'],
    [
      'The key a1b2c3d4e5f6g7h8a1b2c3d4e5f6g7h8X is new',
      'The ',
      'key ',
      'a1b2c3d4e5f6g7h8',
      'a1b2c3d4e5f6g7h8',
      'X ',
      'is ',
      'new',
    ],
    ['Wiederherstellungsschlüsselverwaltung', 'Wiederherstellungsschlüsselverwaltung'],
    ['usr_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE', 'usr_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE'],
    ['Ends at 12:30.', 'Ends at 12:30.'],
    ['', ''],
  ] as const)
    it(`are after the separators of ${value === '' ? 'nothing' : value}`, () => {
      expect(breakableParts(value)).to.deep.equal(parts)
    })
})
