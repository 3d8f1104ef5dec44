import { expect } from 'chai'
import pg from 'pg'
import { testDatabase } from './postgres.ts'

describe('embedded Postgres', function () {
  this.timeout(60_000)

  it('EVT-02 starts with nothing installed, writes durably and sorts by code point', async () => {
    const database = await testDatabase()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const settings = await client.query<{ fsync: string; encoding: string; sorted: string[] }>(
      `select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
        (select array_agg(x order by x) from unnest('{b,a,B,A,é}'::text[]) x) as sorted`,
    )
    await client.end()
    await database.drop()
    expect(settings.rows[0]?.fsync).to.equal('on')
    expect(settings.rows[0]?.encoding).to.equal('UTF8')
    expect(settings.rows[0]?.sorted).to.deep.equal(['A', 'B', 'a', 'b', 'é'])
  })
})
