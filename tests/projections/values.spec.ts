import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { testDatabase, type TestDatabase } from '../support/service/postgres.ts'

describe('values from Postgres', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await testDatabase()
    pool = openPool(database.url, 'public')
  })
  after(async () => {
    await pool.end()
    await database.drop()
  })

  const returned = async (value: unknown, type: string): Promise<unknown> =>
    (await pool.query<{ value: unknown }>(`select $1::${type} as value`, [value])).rows[0]?.value

  it('arrays of text are what was sent: any characters, empty texts, nulls, and the word NULL', async () => {
    const characters = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))
    const word = fc.constantFrom(
      '',
      'NULL',
      'null',
      'NULLABLE',
      'a b',
      'a,b',
      '{',
      '}',
      '"',
      '\\',
      ' x ',
      'usr_1',
    )
    const texts = fc.array(fc.option(fc.oneof(characters, word)), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(texts, async (sent) => {
        expect(await returned(sent, 'text[]')).to.deep.equal(sent)
      }),
      { seed: 1, numRuns: 300 },
    )
    expect(await returned([['a'], ['b']], 'text[]')).to.deep.equal([['a'], ['b']])
  })

  it('times have microseconds', async () => {
    const time = (text: string): Promise<unknown> => returned(text, 'timestamptz')
    expect(await time('2026-01-02 03:04:05+00')).to.equal('2026-01-02T03:04:05.000000Z')
    expect(await time('2026-01-02 03:04:05.12+00')).to.equal('2026-01-02T03:04:05.120000Z')
    expect(await time('2026-01-02 03:04:05.123456+02')).to.equal('2026-01-02T01:04:05.123456Z')
    expect(await time('infinity')).to.equal('infinity')
  })
})
