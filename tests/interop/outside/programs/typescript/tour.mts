/**
 * Creates, reads, lists by pages, changes and deletes users, groups and applications with openapi-fetch and the generated
 * types, and prints what the lists had.
 */
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

interface Listing {
  readonly names: string[]
  pages: number
}

const LABEL = 'TypeScript'

const client = createClient<paths>({
  baseUrl: `${process.env['BASE_URL'] ?? ''}/api/v1`,
  headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}` },
})

const expect = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`not so: ${what}`)
}

interface Outcome<T> {
  readonly data?: T
  readonly error?: { readonly error: { readonly code: string; readonly message: string } }
  readonly response: Response
}

const got = <T,>({ data, error }: Outcome<T>): T => {
  if (data === undefined) throw new Error(error === undefined ? 'no body' : error.error.message)
  return data
}

const codeOf = ({ error }: Outcome<unknown>): string => error?.error.code ?? ''

/** Follows the Link header of each page to the next one. */
const pages = async (
  page: (cursor: { cursor?: string }) => Promise<Outcome<{ readonly name: string }[]>>,
): Promise<Listing> => {
  const all: Listing = { names: [], pages: 0 }
  for (let cursor: string | null | undefined; cursor !== null;) {
    const outcome = await page(cursor === undefined ? {} : { cursor })
    all.names.push(...got(outcome).map(({ name }) => name))
    all.pages++
    const next = /<([^>]*)>; rel="next"/.exec(outcome.response.headers.get('Link') ?? '')?.[1]
    cursor = next === undefined ? null : new URL(next).searchParams.get('cursor')
  }
  return all
}

const users = async (): Promise<Listing> => {
  const made: string[] = []
  for (const n of [1, 2, 3, 4, 5]) {
    const body = { email: `ts${String(n)}@example.com`, name: `${LABEL} ${String(n)}` }
    made.push(got(await client.POST('/users', { body })).id)
  }
  const twice = await client.POST('/users', { body: { email: 'ts1@example.com', name: 'Twice' } })
  expect(codeOf(twice) === 'ERR_CONFLICT', 'an address twice')
  const [id = ''] = made
  const read = await client.GET('/users/{id}', { params: { path: { id } } })
  expect(got(read).email === 'ts1@example.com' && got(read).department === null, 'the user as created')
  const params = { path: { id }, header: { 'If-Match': read.response.headers.get('ETag') ?? '' } }
  const change = () => client.PATCH('/users/{id}', { params, body: { department: 'Research' } })
  expect(got(await change()).department === 'Research', 'the user as changed')
  expect(codeOf(await change()) === 'ERR_STALE', 'a version of before')
  const all = await pages((cursor) =>
    client.GET('/users', { params: { query: { q: LABEL, limit: 2, ...cursor } } }),
  )
  for (const each of made) await client.DELETE('/users/{id}', { params: { path: { id: each } } })
  const gone = got(await client.GET('/users/{id}', { params: { path: { id } } }))
  expect(gone.status === 'deleted', 'the user as deleted')
  return all
}

const groups = async (): Promise<Listing> => {
  const made: string[] = []
  for (const n of [1, 2])
    made.push(got(await client.POST('/groups', { body: { name: `${LABEL} ${String(n)}` } })).id)
  const ruled = await client.POST('/groups', {
    body: {
      name: `${LABEL} 3`,
      rule: {
        match: 'all',
        conditions: [{ attribute: 'department', operator: 'in', value: ['Research', 'Sales'] }],
      },
    },
  })
  made.push(got(ruled).id)
  const [id = '', , last = ''] = made
  const read = got(await client.GET('/groups/{id}', { params: { path: { id: last } } }))
  expect(read.rule?.conditions[0]?.value?.length === 2, 'the rule as created')
  const params = { path: { id } }
  const changed = got(await client.PATCH('/groups/{id}', { params, body: { description: 'Changed' } }))
  expect(changed.description === 'Changed', 'the group as changed')
  const all = await pages((cursor) =>
    client.GET('/groups', { params: { query: { q: LABEL, limit: 2, ...cursor } } }),
  )
  for (const each of made) await client.DELETE('/groups/{id}', { params: { path: { id: each } } })
  expect(codeOf(await client.GET('/groups/{id}', { params })) === 'ERR_NOT_FOUND', 'the group as deleted')
  return all
}

const applications = async (): Promise<Listing> => {
  const made: string[] = []
  for (const n of [1, 2]) {
    const created = got(
      await client.POST('/applications', {
        body: {
          name: `${LABEL} ${String(n)}`,
          protocol: 'oidc',
          type: 'web',
          redirectUris: ['https://app.example.com/callback'],
        },
      }),
    )
    expect(created.protocol === 'oidc' && created.clientSecret !== undefined, 'the secret is shown')
    made.push(created.id)
  }
  const saml = await client.POST('/applications', {
    body: {
      name: `${LABEL} 3`,
      protocol: 'saml',
      saml: { entityId: 'https://wiki.example.com/ts', acsUrls: ['https://wiki.example.com/acs'] },
    },
  })
  made.push(got(saml).id)
  const [id = '', , last = ''] = made
  const read = got(await client.GET('/applications/{id}', { params: { path: { id: last } } }))
  expect(
    read.protocol === 'saml' && read.saml?.entityId === 'https://wiki.example.com/ts',
    'the application as created',
  )
  const params = { path: { id } }
  const changed = got(await client.PATCH('/applications/{id}', { params, body: { description: 'Changed' } }))
  expect(changed.description === 'Changed', 'the application as changed')
  const all = await pages((cursor) =>
    client.GET('/applications', { params: { query: { q: LABEL, limit: 2, ...cursor } } }),
  )
  for (const each of made) await client.DELETE('/applications/{id}', { params: { path: { id: each } } })
  expect(
    codeOf(await client.GET('/applications/{id}', { params })) === 'ERR_NOT_FOUND',
    'the application as deleted',
  )
  return all
}

process.stdout.write(
  `${JSON.stringify({ users: await users(), groups: await groups(), applications: await applications() })}\n`,
)
