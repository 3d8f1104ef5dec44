import { Type } from 'typebox'
import { importActions } from '../../../domain/import/plan.ts'
import { importSources } from '../../../domain/import/records.ts'
import { importStatuses } from '../../../read-models/queries/imports.ts'
import { idOf } from '../http/route.ts'
import { nullable, Time } from '../http/schemas.ts'

export const Source = Type.Enum([...importSources], {
  description:
    'users_csv, groups_csv: CSV with a header. keycloak: a realm export. okta: the array of GET /api/v1/users. auth0: a bulk user export.',
})

export const Action = Type.Enum([...importActions], {
  description:
    'create, update, add (a membership): a change. none: it is so already. skip: left alone on purpose. error: cannot be imported.',
})

export const Result = Type.Enum(['done', 'failed'])

const count = (description: string) => Type.Integer({ description })

export const Import = Type.Object(
  {
    id: idOf('import'),
    source: Source,
    updates: Type.Boolean({
      description: 'whether users and groups that exist get the values of the file',
    }),
    status: Type.Enum([...importStatuses], {
      description:
        'checking: the dry run is computed. ready: it can be started. failed: the user who started it no longer may, or the file was not stored completely.',
    }),
    lines: count('changes that the file may mean: each user, group, manager and membership is one'),
    reached: count('lines of the current step that are done'),
    actions: Type.Object({
      create: count('users and groups'),
      update: count('users, groups and managers'),
      add: count('memberships'),
      none: count('lines that change nothing'),
      skip: count('lines that are left alone'),
      error: count('lines that cannot be imported'),
    }),
    done: count('changes that were made'),
    failed: count('changes that could not be made'),
    ignored: Type.Array(Type.String(), { description: 'columns of the file that mean nothing here' }),
    correlationId: nullable(Type.String({ description: 'of the audit entries of its changes' })),
    requestedBy: nullable(idOf('user')),
    requestedAt: Time,
    finishedAt: nullable(Time),
    expiresAt: Time,
  },
  { title: 'Import' },
)

export const ImportedLine = Type.Object(
  {
    number: Type.Integer(),
    line: Type.Integer({ description: 'line of a CSV or NDJSON file; otherwise the number of the entry' }),
    kind: Type.Enum(['group', 'user', 'manager', 'member']),
    label: Type.String({ description: 'the user or the group' }),
    other: nullable(Type.String({ description: 'the manager, or the group of a membership' })),
    action: nullable(Action),
    changes: Type.Array(Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() })),
    message: nullable(Type.String()),
    result: nullable(Result),
  },
  { title: 'ImportLine' },
)
