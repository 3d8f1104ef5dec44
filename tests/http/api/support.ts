import { expect } from 'chai'
import pg from 'pg'
import {
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- answers are held to expectations, not to types
export type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly headers: Headers
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

export interface Place {
  readonly service: TestService
  /** A global administrator. */
  readonly admin: TestPerson
  /** Sends a request as that administrator */
  readonly send: Send
  readonly as: (person: TestPerson) => Send
}

/** A running service with one global administrator, for the tests of one `describe`. */
export const startPlace = async (at?: TestPlace): Promise<Place> => {
  const service = await testService(at)
  const admin = await service.person({ name: 'Grace Admin', email: 'grace@example.com' }, ['global_admin'])
  const as =
    (person: TestPerson): Send =>
    (method, path, body, headers = {}) =>
      service.api(method, path, { as: person, headers, ...(body === undefined ? {} : { body }) })
  return { service, admin, send: as(admin), as }
}

/** Expects an error, and returns its message. */
export const refusal = (answer: Answer, status: number, code: string, field?: string): string => {
  expect(answer.body?.error, JSON.stringify(answer.body)).to.include({ code })
  expect(answer.status).to.equal(status)
  if (field !== undefined) expect(answer.body.error.field).to.equal(field)
  return String(answer.body.error.message)
}

/** Expects success, and returns the body. */
export const success = (answer: Answer, status = 200): Json => {
  expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
  return answer.body
}

/** Follows `Link: rel="next"` to the end. */
export const walk = async (send: Send, path: string): Promise<{ rows: Json[]; pages: number }> => {
  const rows: Json[] = []
  let pages = 0
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const answer = await send('GET', next)
    rows.push(...success(answer))
    const link = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    next = link === undefined ? undefined : link.slice(link.indexOf('/api/v1') + '/api/v1'.length)
  }
  return { rows, pages }
}

/** Returns every row of every table of a database, as text. */
export const everythingStored = async (databaseUrl: string, schemas: string): Promise<string> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') and schemaname ~ $1`,
      [schemas],
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`)
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

export const payroll = (name: string, more: object = {}) => ({
  name,
  protocol: 'oidc',
  type: 'web',
  redirectUris: ['https://payroll.example.com/callback'],
  ...more,
})
