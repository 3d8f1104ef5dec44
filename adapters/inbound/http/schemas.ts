/** Fields and schemas that several route groups share. */
import { Type, type TSchema } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { roleKeys, type Role } from '../../../domain/roles.ts'
import type { Sort } from '../../../read-models/queries/page.ts'
import { CONTROLS, INVISIBLE, LETTERS } from './character-classes.ts'
import { decodeCursor, DEFAULT_LIMIT } from './cursor.ts'
import type { Access } from './declaration.ts'

/** The credentials of administrators: a user's session or terminal, or a service account's API key. */
const credentials = ['session', 'api_key', 'admin_token'] as const

/** Every administrator may read. The routes declare who may write. */
export const readers = { credentials, roles: roleKeys } as const

/** Only these roles and global administrators may write. */
export const writers = <const R extends readonly Role[]>(...roles: R) => ({ credentials, roles }) as const

/** The same, with a proof from users: for all requests, or for those whose body has one of the fields. */
export const proven = <const A extends Access>(access: A, ...whenSent: readonly string[]) =>
  ({ ...access, reauthentication: whenSent.length === 0 ? 'always' : { whenSent } }) as const

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const clearable = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))

/** A line of text without control characters or spaces around it. */
export const line = (maxLength: number, example: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[^\\s${CONTROLS}](?:[^${CONTROLS}]*[^\\s${CONTROLS}])?$`,
    title: 'a line without control characters or spaces around it',
    examples: [example],
  })

/** Text of several lines. */
export const prose = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^(?:[^${CONTROLS}]|[\\n\\t])*$`,
    title: 'text without control characters',
  })

const LABEL = `[${LETTERS}](?:[${LETTERS}-]{0,61}[${LETTERS}])?`

/** One @ and a domain of labels. A dot is not required (RFC 5321 §2.3.5). */
export const EmailAddress = Type.String({
  maxLength: 254,
  // Generators for Python put patterns between quotation marks: none may be in them.
  pattern: `^[^\\s@${INVISIBLE}\\x22(),:;<>\\[\\\\\\]]{1,64}@${LABEL}(?:\\.${LABEL})*$`,
  title: 'an email address',
  examples: ['ada@example.com'],
})

export const Time = Type.String({ format: 'date-time' })

/** Years that are between 1 and 9999 in UTC too, which all stores support. */
const YEAR = '(?:000[2-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])'
const DAY_AND_CLOCK = '-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-5][0-9](?:\\.[0-9]+)?'
const OFFSET = '[+-][0-9]{2}:?[0-9]{2}'

/** A time in requests (RFC 3339 §5.6), without leap seconds, which computers do not represent. */
export const timeInput = (description?: string) =>
  Type.String({
    format: 'date-time',
    pattern: `^(?:${YEAR}${DAY_AND_CLOCK}(?:[Zz]|${OFFSET})|(?:0001|9999)${DAY_AND_CLOCK}[Zz])$`,
    ...(description === undefined ? {} : { description }),
  })

/** Text of a filter or a reference. The service issues none with control characters. */
export const printable = (maxLength: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[^${CONTROLS}]+$`,
    title: 'text without control characters',
    ...(description === undefined ? {} : { description }),
  })

export const Version = Type.Integer({ description: 'Increases with every change; also the ETag' })

const at = Type.Optional(timeInput('The state at this time; default: now'))
/** The query parameter of routes that can return a past state. */
export const timeTravel = { at }

const MOMENT = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:?\d\d)$/

/** Whether the time exists: not February 30 and not 24:00:00, which parsers would convert to another time. */
const exists = (dateTime: string): boolean => {
  const parsed = new Date(`${dateTime}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(`${dateTime}.`)
}

/** Converts a time to the format of events, UTC and microseconds; undefined if it is not a valid time (RFC 3339). */
const momentOf = (time: string): string | undefined => {
  const [, date = '', clock = '', fraction = '', offset = ''] = MOMENT.exec(time) ?? []
  const dateTime = `${date}T${clock}`
  if (!exists(dateTime)) return undefined
  const whole = new Date(`${dateTime}${offset.toUpperCase()}`)
  const year = whole.getUTCFullYear()
  // Other years cannot be stored.
  if (!(year >= 1 && year <= 9999)) return undefined
  return `${whole.toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`
}

/** @throws DomainError ERR_INVALID naming the field */
export const instantOf = (time: string, field: string): string => {
  const instant = momentOf(time)
  if (instant === undefined)
    throw new DomainError(
      'ERR_INVALID',
      `${field}: expected a date and time with offset (RFC 3339), for example 2026-01-31T09:30:00Z`,
      `/${field}`,
    )
  return instant
}

export const sorting = {
  sort: Type.Optional(
    Type.Enum(['name', '-name', 'createdAt', '-createdAt'] satisfies Sort[], {
      description: '- for descending order',
    }),
  ),
  q: Type.Optional(printable(254, 'Prefix of the name, not case-sensitive')),
}

/** The error for a cursor that this list, in this order, did not issue. */
export const foreignCursor = (): DomainError =>
  new DomainError(
    'ERR_INVALID',
    'cursor: expected an unchanged cursor from a Link header, with the same sort; omit it to start from the first page',
    '/cursor',
  )

/**
 * Returns the page of a list's query, with the extra row that shows whether there is a next page.
 * @throws DomainError ERR_INVALID for a cursor that this list, in this order, did not issue
 */
export const listPageOf = (query: {
  limit?: number | undefined
  cursor?: string | undefined
  sort?: Sort | undefined
}) => {
  const { limit = DEFAULT_LIMIT, sort = 'name', cursor } = query
  const keys = decodeCursor(cursor, 3)
  const [order, sortKey, id] = keys ?? []
  const wrong =
    keys !== undefined && (order !== sort || typeof sortKey !== 'string' || typeof id !== 'string')
  const isTime = sort.endsWith('createdAt') && typeof sortKey === 'string'
  if (wrong || (isTime && momentOf(sortKey) === undefined)) throw foreignCursor()
  return {
    shown: limit,
    page: {
      limit: limit + 1,
      sort,
      ...(typeof sortKey === 'string' && typeof id === 'string' ? { after: [sortKey, id] as const } : {}),
    },
    toCursor: (row: { readonly sortKey: string; readonly id: string }) => [sort, row.sortKey, row.id],
  }
}

/**
 * Returns the row after a change.
 * @throws DomainError ERR_UNAVAILABLE if the read models have not reached the change yet
 */
export const readBack = async <Row extends { readonly version: number }>(
  row: Promise<Row | null>,
  version: number,
): Promise<Row> => {
  const current = await row
  if (current === null || current.version < version)
    throw new DomainError(
      'ERR_UNAVAILABLE',
      'The change is recorded but not visible yet. Do not send it again.',
    )
  return current
}

/**
 * Returns the result of a lookup.
 * @throws DomainError ERR_NOT_FOUND for null
 */
export const existing = async <T>(lookUp: Promise<T | null>): Promise<T> => {
  const row = await lookUp
  if (row === null) throw new DomainError('ERR_NOT_FOUND')
  return row
}

/** Returns only the fields of a request that were sent. */
export const sent = <T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

/** Returns the fields of a new record without those that are null. */
export const withoutNulls = <T extends object>(
  body: T,
): { [K in keyof T]: Exclude<T[K], undefined | null> } =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]: Exclude<T[K], undefined | null>
  }
