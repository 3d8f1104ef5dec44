/** The files of an export: which rows each has, in which order, and with which fields. */
import type pg from 'pg'
import { applicationStream } from '../../../domain/application/decider.ts'
import type { ExportKind } from '../../../domain/export/events.ts'
import { groupStream } from '../../../domain/group/decider.ts'
import { userStream } from '../../../domain/user/decider.ts'
import { readApplicationsThen, type ApplicationRow } from '../../../read-models/queries/applications.ts'
import {
  assignmentsThen,
  auditThen,
  membershipsThen,
  signInsThen,
  type ExportedAssignment,
  type ExportedMembership,
} from '../../../read-models/queries/export-rows.ts'
import { readGroupsThen, type GroupRow } from '../../../read-models/queries/groups.ts'
import {
  applicationsThen,
  groupsThen,
  usersThen,
  type IdPage,
} from '../../../read-models/queries/past-lists.ts'
import type { Past, PastRecord } from '../../../read-models/queries/past.ts'
import type { SignInRow } from '../../../read-models/queries/sign-ins.ts'
import { readUsersThen, type UserRow } from '../../../read-models/queries/users.ts'
import type { AuditEvent, auditEntries } from '../../engines/audit/entries.ts'
import { recordsThen } from '../services/records-then.ts'
import type { Services } from '../services/services.ts'

/** What files are read from: one snapshot of the read models, and the events of records. */
export interface ExportSource {
  readonly client: pg.ClientBase
  readonly past: Past
  readonly pastRecord: Services['pastRecord']
  readonly openAudit: ReturnType<typeof auditEntries>
}

/** Values by field; objects and lists are JSON in a CSV file. */
export type ExportRow = Readonly<Record<string, unknown>>

export interface ExportFile {
  /** The fields of every row, in this order */
  readonly fields: readonly string[]
  readonly pages: (source: ExportSource) => AsyncGenerator<readonly ExportRow[]>
}

const PAGE = 200
/** Rows that need no events. */
const LONG_PAGE = 1000

const file = <Row extends object>(
  fields: readonly (keyof Row & string)[],
  pages: (source: ExportSource) => AsyncGenerator<readonly Row[]>,
): ExportFile => ({
  fields,
  pages: async function* (source) {
    for await (const page of pages(source))
      yield page.map((row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null])))
  },
})

/** Yields records in order of ids, as their own events made them. */
const records = <Row>(
  ids: (client: pg.ClientBase, past: Past, page: IdPage) => Promise<readonly string[]>,
  stream: (id: string) => string,
  read: (client: pg.ClientBase, past: Past, record: PastRecord) => Promise<readonly Row[]>,
) =>
  async function* ({ client, past, pastRecord }: ExportSource): AsyncGenerator<readonly Row[]> {
    for (let after: string | undefined; ;) {
      const page = await ids(client, past, { limit: PAGE, after })
      if (page.length > 0)
        yield await read(client, past, await recordsThen(pastRecord, page.map(stream), past.cut))
      if (page.length < PAGE) return
      after = page.at(-1)
    }
  }

/**
 * Yields pages that continue after the last row of the page before.
 * @param show returns what the file has of the rows
 */
const rowsAfter = <Read, Key, Row>(
  first: Key,
  read: (source: ExportSource, after: Key, limit: number) => Promise<readonly Read[]>,
  keyOf: (row: Read) => Key,
  show: (rows: readonly Read[], source: ExportSource) => Promise<readonly Row[]>,
) =>
  async function* (source: ExportSource): AsyncGenerator<readonly Row[]> {
    for (let after = first; ;) {
      const page = await read(source, after, LONG_PAGE)
      if (page.length > 0) yield await show(page, source)
      const last = page.at(-1)
      if (last === undefined || page.length < LONG_PAGE) return
      after = keyOf(last)
    }
  }

const asRead = <Row>(rows: readonly Row[]): Promise<readonly Row[]> => Promise.resolve(rows)

type ExportedUser = Omit<UserRow, 'roleKeys' | 'methods'> & {
  readonly roles: UserRow['roleKeys']
  readonly methods: readonly string[]
}

const readExportedUsers = async (
  ...input: Parameters<typeof readUsersThen>
): Promise<readonly ExportedUser[]> =>
  (await readUsersThen(...input)).map(({ roleKeys, methods, ...user }) => ({
    ...user,
    roles: roleKeys,
    methods: methods.map(({ type }) => type),
  }))

export const exportFiles: Readonly<Record<Exclude<ExportKind, 'log'>, ExportFile>> = {
  users: file<ExportedUser>(
    [
      'id',
      'email',
      'name',
      'givenName',
      'familyName',
      'status',
      'roles',
      'department',
      'title',
      'employeeId',
      'managerId',
      'location',
      'phone',
      'locale',
      'timeZone',
      'startDate',
      'endDate',
      'externalId',
      'userName',
      'custom',
      'source',
      'emailVerified',
      'groupCount',
      'methods',
      'lastSignInAt',
      'invitedAt',
      'activatedAt',
      'suspendedAt',
      'suspendReason',
      'createdAt',
      'updatedAt',
      'version',
    ],
    records((client, past, page) => usersThen(client, past, {}, page), userStream, readExportedUsers),
  ),
  groups: file<GroupRow>(
    [
      'id',
      'name',
      'description',
      'rule',
      'externalId',
      'ownerIds',
      'memberCount',
      'applicationCount',
      'source',
      'createdAt',
      'updatedAt',
      'version',
    ],
    records((client, past, page) => groupsThen(client, past, {}, page), groupStream, readGroupsThen),
  ),
  memberships: file<ExportedMembership>(
    [
      'groupId',
      'groupName',
      'userId',
      'userName',
      'userEmail',
      'userStatus',
      'via',
      'sourceId',
      'addedAt',
      'addedBy',
      'addedByName',
      'auditEventId',
      'expiresAt',
    ],
    rowsAfter(
      null as [string, string, string] | null,
      ({ client, past }, after, limit) => membershipsThen(client, past, after, limit),
      ({ groupId, userId, position }): [string, string, string] => [groupId, userId, position],
      asRead,
    ),
  ),
  applications: file<ApplicationRow>(
    [
      'id',
      'name',
      'status',
      'protocol',
      'type',
      'clientId',
      'builtIn',
      'settings',
      'saml',
      'groupIds',
      'apiGrants',
      'createdAt',
      'updatedAt',
      'version',
    ],
    records(
      (client, past, page) => applicationsThen(client, past, {}, page),
      applicationStream,
      readApplicationsThen,
    ),
  ),
  assignments: file<ExportedAssignment>(
    [
      'applicationId',
      'applicationName',
      'applicationStatus',
      'groupId',
      'groupName',
      'assignedAt',
      'assignedBy',
      'assignedByName',
      'auditEventId',
    ],
    rowsAfter(
      null as [string, string] | null,
      ({ client, past }, after, limit) => assignmentsThen(client, past, after, limit),
      ({ applicationId, groupId }): [string, string] => [applicationId, groupId],
      asRead,
    ),
  ),
  sign_ins: file<Omit<SignInRow, 'riskEventIds'>>(
    [
      'id',
      'time',
      'userId',
      'email',
      'appId',
      'result',
      'reason',
      'method',
      'amr',
      'risk',
      'identityProviderId',
      'ip',
      'location',
      'device',
      'deviceId',
      'userAgent',
      'sessionId',
      'policyIds',
      'decision',
      'correlationId',
    ],
    rowsAfter(
      '',
      ({ client, past }, after, limit) => signInsThen(client, past, after, limit),
      ({ position }) => position,
      asRead,
    ),
  ),
  audit: file<AuditEvent>(
    [
      'id',
      'time',
      'action',
      'summary',
      'outcome',
      'actorId',
      'actorType',
      'actorName',
      'credential',
      'targetType',
      'targetId',
      'target',
      'otherId',
      'other',
      'ip',
      'userAgent',
      'correlationId',
      'causationId',
      'changes',
      'position',
      'hash',
    ],
    rowsAfter(
      '',
      ({ client, past }, after, limit) => auditThen(client, past, after, limit),
      ({ position }) => position,
      (rows, { openAudit }) => openAudit(rows),
    ),
  ),
}
