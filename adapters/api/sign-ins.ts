import { Type } from 'typebox'
import { findSignIn, listSignIns, type SignInFilters } from '../../read-models/queries/sign-ins.ts'
import { findUser } from '../../read-models/queries/users.ts'
import type { Services } from '../commands/deps.ts'
import { page, pageReply } from '../http/cursor.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { found, readers } from './schemas.ts'
import { newestFirst } from './session-schemas.ts'
import { between, SignIn, signInQuery } from './sign-in-schemas.ts'

const tag = 'Sign-in events'
const person = { credentials: ['session', 'cli_token'] } as const

type Query = Omit<SignInFilters, 'userId'> & {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Who tried to sign in, when, how, from where, and what came of it. */
export const signInRoutes = (services: Services): readonly Route[] => {
  const { pool, clock } = services

  const list = async (query: Query, userId: string | undefined, url: URL) => {
    const { page: asked, shown, toCursor } = newestFirst(query)
    const { appId, result, method, ip } = query
    const rows = await listSignIns(pool, { userId, appId, result, method, ip, ...between(query) }, asked)
    return pageReply(page(rows, shown, toCursor, url), ({ sortKey: _, ...row }) => row)
  }

  return [
    route({
      method: 'GET',
      path: '/sign-ins',
      tag,
      summary: 'List attempts to sign in, newest first',
      access: readers,
      query: signInQuery({ userId: Type.Optional(idOf('user')) }),
      result: Type.Array(SignIn),
      status: 200,
      errors: [],
      handle: ({ query, http }) => list(query, query.userId, http.url),
    }),
    route({
      method: 'GET',
      path: '/sign-ins/{id}',
      tag,
      summary: 'Read an attempt to sign in',
      access: readers,
      params: fields({ id: idOf('signInEvent') }),
      result: SignIn,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await found(findSignIn(pool, id)) }),
    }),
    route({
      method: 'GET',
      path: '/users/{id}/sign-ins',
      tag,
      summary: 'List the attempts of a person to sign in, newest first',
      access: readers,
      params: fields({ id: idOf('user') }),
      query: signInQuery({}),
      result: Type.Array(SignIn),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await found(findUser(pool, id, clock.now()))
        return list(query, id, http.url)
      },
    }),
    route({
      method: 'GET',
      path: '/me/sign-ins',
      tag: 'Account',
      summary: 'Your attempts to sign in, newest first',
      access: person,
      query: signInQuery({}),
      result: Type.Array(SignIn),
      status: 200,
      errors: [],
      handle: ({ query, caller, http }) => list(query, caller.userId, http.url),
    }),
  ]
}
