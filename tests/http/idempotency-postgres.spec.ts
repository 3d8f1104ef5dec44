import { expect } from 'chai'
import pg from 'pg'
import { migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import { postgresIdempotency } from '../../adapters/inbound/http/idempotency-store.ts'
import { testDatabase, type TestDatabase } from '../support/service/postgres.ts'
import { startApi } from './support.ts'

const HOUR = 3_600_000
const start = new Date('2026-01-31T09:30:00Z')
const later = (ms: number): Date => new Date(start.getTime() + ms)
const answer = { status: 201, headers: { Location: '/x' }, body: '{"clientSecret":"svs_once"}' }

const reversed = (text: string): string => [...text].reverse().join('')
const sealer = {
  seal: (text: string, context: string) => `${context}|${reversed(text)}`,
  open: (sealed: string, context: string) => {
    if (!sealed.startsWith(`${context}|`)) throw new Error('sealed for another context')
    return reversed(sealed.slice(context.length + 1))
  },
}

describe('idempotency keys in Postgres', function () {
  this.timeout(60_000)
  let database: TestDatabase
  let pool: pg.Pool
  let store: ReturnType<typeof postgresIdempotency>

  before(async () => {
    database = await testDatabase()
    pool = new pg.Pool({ connectionString: database.url })
    await migrateSchema(pool, 'work')
    store = postgresIdempotency(pool, sealer)
  })
  beforeEach(() => pool.query('TRUNCATE work.idempotency'))
  after(async () => {
    await pool.end()
    await database.drop()
  })

  it('one of many concurrent requests is executed', async () => {
    const begun = await Promise.all(Array.from({ length: 20 }, () => store.begin('k', 'f', start)))
    expect(begun.filter(({ state }) => state === 'new')).to.have.length(1)
    expect(begun.filter(({ state }) => state === 'running')).to.have.length(19)
  })
  it('stores the response for 24 hours, encrypted', async () => {
    expect(await store.begin('k', 'f', start)).to.deep.equal({ state: 'new', attempt: 1, startedAt: start })
    await store.finish('k', 1, answer)
    expect(await store.begin('k', 'f', later(24 * HOUR - 1))).to.deep.equal({ state: 'done', answer })
    expect(await store.begin('k', 'other', later(1))).to.deep.equal({ state: 'different' })
    const rows = await pool.query<{ answer: string }>('SELECT answer FROM work.idempotency')
    expect(rows.rows[0]?.answer).not.to.include('svs_once')
    expect(await store.begin('k', 'other', later(24 * HOUR))).to.deep.equal({
      state: 'new',
      attempt: 2,
      startedAt: later(24 * HOUR),
    })
  })
  it('a released or abandoned attempt is claimed with its start time; the old one stores nothing', async () => {
    await store.begin('k', 'f', start)
    await store.release('k', 1)
    expect(await store.begin('k', 'f', later(1))).to.deep.equal({
      state: 'new',
      attempt: 2,
      startedAt: start,
    })
    expect(await store.begin('k', 'f', later(30_000))).to.deep.equal({ state: 'running' })
    expect(await store.begin('k', 'f', later(61_000))).to.deep.equal({
      state: 'new',
      attempt: 3,
      startedAt: start,
    })
    await store.finish('k', 2, answer)
    expect(await store.begin('k', 'f', later(62_000))).to.deep.equal({ state: 'running' })
    await store.finish('k', 3, answer)
    expect((await store.begin('k', 'f', later(63_000))).state).to.equal('done')
  })
  it('deletes expired keys', async () => {
    await store.begin('old', 'f', start)
    await store.begin('new', 'f', later(HOUR))
    expect(await store.purge(later(24 * HOUR))).to.equal(1)
    expect(await store.begin('new', 'f', later(HOUR + 1))).to.deep.equal({ state: 'running' })
  })
  it('serves the API: twenty identical concurrent requests create one resource', async () => {
    const api = await startApi({ idempotency: store })
    try {
      const post = () =>
        api.send('POST', '/things', { email: 'ada@example.com', name: 'Ada' }, { 'idempotency-key': 'k' })
      const statuses = (await Promise.all(Array.from({ length: 20 }, post))).map(({ status }) => status)
      expect(statuses.filter((status) => status !== 201 && status !== 409)).to.deep.equal([])
      expect(statuses).to.include(201)
      expect(api.seen.created).to.equal(1)
      expect((await post()).headers.get('idempotency-replayed')).to.equal('true')
    } finally {
      await api.close()
    }
  })
})
