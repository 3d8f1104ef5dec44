import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { ImportLine, LineChecks } from '../../../domain/import/lines.ts'
import { importActions } from '../../../domain/import/plan.ts'
import type { ImportLineRow, ImportRow } from '../../../read-models/queries/imports.ts'
import { importCommands } from '../../application/imports/imports.ts'
import { MAX_IMPORT_BYTES } from '../../application/imports/read-file.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { actorIdOf } from '../http/caller.ts'
import { DEFAULT_LIMIT, decodeCursor, listPage, listQuery, listReply } from '../http/cursor.ts'
import { BASE_PATH, created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, foreignCursor, proven, readers, writers } from '../http/schemas.ts'
import { strictly } from '../http/validate.ts'
import { groupFields } from './group-schemas.ts'
import { Action, Import, ImportedLine, Result, Source } from './import-schemas.ts'
import { checkProfile, writableProfile } from './user-schemas.ts'

const tag = 'Import'
const params = fields({ id: idOf('import') })
const access = writers('user_admin')
/** More than any import has */
const MAX_LINES = 1e9

const checkedProfile = strictly(fields(writableProfile))
const checkedGroup = strictly(fields({ name: groupFields.name, description: groupFields.description }))

/** The checks that requests of the API go through. */
const lineChecks: LineChecks = {
  profile: (value) => {
    const problem = checkedProfile(value)
    if (problem !== undefined) return problem.message
    try {
      checkProfile({ ...value })
      return undefined
    } catch (error) {
      if (error instanceof DomainError) return error.message
      throw error
    }
  },
  group: (value) => checkedGroup(value)?.message,
}

const isLineNumber = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) <= MAX_LINES

const labelOf = (line: ImportLine): readonly [label: string, other: string | null] => {
  switch (line.kind) {
    case 'group':
      return [line.name, null]
    case 'user':
      return [line.profile.email ?? line.profile.userName ?? line.profile.name ?? '', null]
    case 'manager':
      return [line.email, line.manager]
    case 'member':
      return [line.email, line.group]
  }
}

const toLine = ({ number, content, action, changes, message, result }: ImportLineRow) => {
  const [label, other] = labelOf(content)
  const { line, kind } = content
  return { number, line, kind, label, other, action, changes: changes ?? [], message, result }
}

/** Routes for imports of users and groups. */
export const importRoutes = (services: Pick<Services, 'pool' | 'clock'>): readonly Route[] => {
  const imports = importCommands(services)
  const checks = lineChecks

  const shown = async ({ actor, roles: _, invites: __, ...row }: ImportRow) => {
    const counts = await imports.counts(row.id)
    const sum = (of: (count: (typeof counts)[number]) => boolean): number =>
      counts.filter(of).reduce((total, { count }) => total + count, 0)
    const actions = importActions.map((action) => [action, sum((each) => each.action === action)] as const)
    const correlationId = actor?.['correlationId']
    return {
      ...row,
      actions: Object.fromEntries(actions) as Record<(typeof importActions)[number], number>,
      done: sum(({ result }) => result === 'done'),
      failed: sum(({ result }) => result === 'failed'),
      correlationId: typeof correlationId === 'string' ? correlationId : null,
    }
  }
  const read = async (id: string) => shown(await existing(imports.find(id)))

  return [
    route({
      method: 'POST',
      path: '/imports',
      tag,
      summary: 'Upload users or groups from a file, and see what would change',
      description:
        'Nothing is changed. Each line is compared with what exists; read the result at the address in Location and its /lines, then start the import. Passwords are not imported. Imports are deleted after 7 days.',
      access,
      query: fields({
        source: Source,
        updates: Type.Optional(
          Type.Boolean({
            default: true,
            description:
              'Whether users and groups that exist get the values of the file; what the file does not have stays',
          }),
        ),
      }),
      upload: {
        types: ['text/csv', 'application/json', 'application/x-ndjson'],
        maxBytes: MAX_IMPORT_BYTES,
      },
      result: Import,
      status: 201,
      errors: ['ERR_CONFLICT', 'ERR_TOO_LARGE'],
      handle: async (request) => {
        const { query, upload, caller } = request
        if (upload === undefined) throw new DomainError('ERR_INVALID')
        const file = { source: query.source, updates: query.updates ?? true, bytes: upload.bytes }
        const id = await imports.upload(file, checks, actorIdOf(caller), actorOf(request))
        return created(`${BASE_PATH}/imports/${id}`, await read(id))
      },
    }),
    route({
      method: 'GET',
      path: '/imports',
      tag,
      summary: 'List imports, newest first',
      access: readers,
      result: Type.Array(Import),
      status: 200,
      errors: [],
      handle: async () => ({ body: await Promise.all((await imports.list()).map(shown)) }),
    }),
    route({
      method: 'GET',
      path: '/imports/{id}',
      tag,
      summary: 'Get an import and its progress',
      access: readers,
      params,
      result: Import,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await read(id) }),
    }),
    route({
      method: 'GET',
      path: '/imports/{id}/lines',
      tag,
      summary: 'List the lines of an import: what would change, or what came of it',
      access: readers,
      params,
      query: listQuery({ action: Type.Optional(Action), result: Type.Optional(Result) }),
      result: Type.Array(ImportedLine),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(imports.find(id))
        const { limit = DEFAULT_LIMIT, cursor, ...filters } = query
        const [after = 0] = decodeCursor(cursor, 1) ?? []
        if (!isLineNumber(after)) throw foreignCursor()
        const rows = await imports.lines(id, filters, after, limit + 1)
        return listReply(
          listPage(rows, limit, ({ number }) => [number], http.url),
          toLine,
        )
      },
    }),
    route({
      method: 'POST',
      path: '/imports/{id}/start',
      tag,
      summary: 'Start an import',
      description:
        'Makes the changes of the dry run, compared again with what exists by then. It stops if the user who started it loses the role.',
      access: proven(access),
      params,
      body: fields({
        invite: Type.Optional(
          Type.Boolean({ default: false, description: 'Whether new users get an invitation by email' }),
        ),
      }),
      result: Import,
      status: 202,
      errors: ['ERR_CONFLICT'],
      audit: ['user.import', 'user.update', 'group.create', 'group.update', 'group.member.add'],
      handle: async (request) => {
        const {
          params: { id },
          body,
          caller,
        } = request
        await imports.start(id, body.invite ?? false, caller.roles, actorOf(request))
        return { body: await read(id) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/imports/{id}',
      tag,
      summary: 'Delete an import',
      description: 'An import that is being made stops; what it has made stays.',
      access,
      params,
      status: 204,
      errors: [],
      handle: async ({ params: { id } }) => {
        await imports.delete(id)
        return done
      },
    }),
  ]
}
