import { Type } from 'typebox'
import {
  accessChanges,
  memberChanges,
  type AccessChange,
  type Between,
} from '../../../read-models/queries/access-changes.ts'
import { applicationEverExisted } from '../../../read-models/queries/applications.ts'
import { groupEverExisted } from '../../../read-models/queries/groups.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import type pg from 'pg'
import { DomainError } from '../../../domain/errors.ts'
import type { Services } from '../../application/services/services.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { fields, idOf, route, type Reply, type Route } from '../http/route.ts'
import { AccessChanges } from './access-schemas.ts'
import { answerOfThePast, between, listPageById, pastHeaders, timesOf } from './past.ts'
import { existing, readers } from '../http/schemas.ts'

const description =
  'Ordered by id. Each item shows the access paths before and after, and the changes between the two times that affected them.'

interface DiffQuery {
  readonly from: string
  readonly to?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const accessDiffRoutes = ({ pool, clock }: Pick<Services, 'pool' | 'clock'>): readonly Route[] => {
  const changes = async <Row, Item>(
    query: DiffQuery,
    url: URL,
    read: (client: pg.ClientBase, between: Between, limit: number, after?: string) => Promise<readonly Row[]>,
    idIn: (row: Row) => string,
    toItem: (row: Row) => Item,
  ): Promise<Reply<readonly Item[]>> => {
    const { limit, after } = listPageById(query)
    const { answer, headers } = await answerOfThePast(
      pool,
      timesOf(query, clock.now()),
      (client, [from, to]) => read(client, [from, to], limit + 1, after?.[0]),
    )
    const paged = listPage(answer, limit, (row) => [idIn(row)], url)
    return listReply({ rows: paged.rows, headers: { ...paged.headers, ...headers } }, toItem)
  }

  const mustHaveExisted = async (ever: Promise<boolean>): Promise<void> => {
    if (!(await ever)) throw new DomainError('ERR_NOT_FOUND')
  }

  return [
    route({
      method: 'GET',
      path: '/applications/{id}/access/diff',
      tag: 'Applications',
      summary: 'List users who gained or lost access between two times',
      description,
      access: readers,
      params: fields({ id: idOf('application') }),
      query: listQuery(between),
      result: Type.Array(AccessChanges.ofApplication),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await mustHaveExisted(applicationEverExisted(pool, id))
        return changes(
          query,
          http.url,
          (client, times, limit, after) => accessChanges(client, { applicationId: id }, times, limit, after),
          ({ userId }) => userId,
          ({ applicationId: _, applicationName: __, ...row }: AccessChange) => row,
        )
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/access/diff',
      tag: 'Users',
      summary: 'List applications that a user gained or lost access to between two times',
      description,
      access: readers,
      params: fields({ id: idOf('user') }),
      query: listQuery(between),
      result: Type.Array(AccessChanges.ofPerson),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findUser(pool, id, clock.now()))
        return changes(
          query,
          http.url,
          (client, times, limit, after) => accessChanges(client, { userId: id }, times, limit, after),
          ({ applicationId }) => applicationId,
          ({ userId: _, name: __, email: ___, applicationName, ...row }: AccessChange) => ({
            ...row,
            name: applicationName,
          }),
        )
      },
    }),
    route({
      method: 'GET',
      path: '/groups/{id}/members/diff',
      tag: 'Groups',
      summary: 'List users who joined or left a group between two times',
      description,
      access: readers,
      params: fields({ id: idOf('group') }),
      query: listQuery(between),
      result: Type.Array(AccessChanges.ofGroup),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await mustHaveExisted(groupEverExisted(pool, id))
        return changes(
          query,
          http.url,
          (client, times, limit, after) => memberChanges(client, id, times, limit, after),
          ({ userId }) => userId,
          (row) => row,
        )
      },
    }),
  ]
}
