import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { isOutage } from '../../adapters/inbound/http/errors.ts'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { testDatabase } from '../support/service/postgres.ts'

const failed = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('did not fail')
    },
    (error: unknown) => error,
  )

const coded = (code: string): Error => Object.assign(new Error('words'), { code })

describe('outages', () => {
  it('EVT-01 include errors of Postgres when it is unavailable, stopping, full or too slow', () => {
    for (const code of [
      ...['57014', '57P01', '57P02', '57P03', '57P05', '53300', '25006', '25P03'],
      ...['08000', '08001', '08003', '08004', '08006', '08007', '08P01'],
      ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
    ])
      expect(isOutage(coded(code)), code).to.equal(true)
    for (const code of ['23505', '42P01', '22P02', '40001', '53200', 'ERR_INVALID_ARG_TYPE'])
      expect(isOutage(coded(code)), code).to.equal(false)
    for (const other of [
      null,
      'Query read timeout',
      new Error('a bug'),
      new TypeError('x is not a function'),
    ])
      expect(isOutage(other)).to.equal(false)
  })

  it('EVT-01 include a database that accepts connections and does not respond', async () => {
    const silent = createServer()
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
    const { port } = silent.address() as { port: number }
    const connectionString = `postgres://svc:x@127.0.0.1:${String(port)}/none`
    try {
      for (const holder of [
        new pg.Pool({ connectionString, connectionTimeoutMillis: 100 }),
        new pg.Client({ connectionString, connectionTimeoutMillis: 100 }),
      ])
        expect(isOutage(await failed(holder.connect()))).to.equal(true)
    } finally {
      silent.close()
    }
  })

  it('EVT-01 include a missing socket, as during a restart of the server', async () => {
    const client = new pg.Client({ host: join(tmpdir(), 'svc-no-such-folder'), port: 5432 })
    const error = await failed(client.connect())
    expect(error).to.include({ code: 'ENOENT' })
    expect(isOutage(error)).to.equal(true)
    expect(isOutage(await failed(readFile(join(tmpdir(), 'svc-no-such-file'))))).to.equal(false)
  })

  it('EVT-01 include statements that take too long, a pool without a free connection, and an ended connection', async () => {
    const database = await testDatabase()
    const pools: pg.Pool[] = []
    const opened = (pool: pg.Pool): pg.Pool => {
      pools.push(pool)
      return pool
    }
    try {
      const limited = opened(openPool(database.url, 'public', { statementTimeout: 100 }))
      expect(isOutage(await failed(limited.query('select pg_sleep(5)')))).to.equal(true)
      const unheard = opened(new pg.Pool({ connectionString: database.url, query_timeout: 100 }))
      expect(isOutage(await failed(unheard.query('select pg_sleep(1)')))).to.equal(true)
      const single = opened(
        new pg.Pool({ connectionString: database.url, max: 1, connectionTimeoutMillis: 2_000 }),
      )
      const client = await single.connect()
      client.on('error', () => undefined)
      expect(isOutage(await failed(single.connect()))).to.equal(true)
      const ended = await failed(client.query('select pg_terminate_backend(pg_backend_pid())'))
      expect(isOutage(ended)).to.equal(true)
      expect(isOutage(await failed(client.query('select 1')))).to.equal(true)
      client.release(true)
    } finally {
      await Promise.all(pools.map((pool) => pool.end()))
      await database.drop()
    }
  })
})
