import { Type } from 'typebox'
import { userSources } from '../../../domain/user/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import { isPlaceholderAddress } from '../../../domain/user/placeholder.ts'
import { roleKeys, roles } from '../../../domain/roles.ts'
import type { UserRow } from '../../../read-models/queries/users.ts'
import { idOf } from '../http/route.ts'
import { clearable, EmailAddress, line, nullable, Time, Version } from '../http/schemas.ts'
import { UserRisk } from './risk-event-schemas.ts'

const text = (maxLength: number, example: string) => clearable(line(maxLength, example))

const Custom = Type.Unsafe<Record<string, string>>({
  type: 'object',
  patternProperties: {
    '^[A-Za-z][A-Za-z0-9_-]{0,63}$': { type: 'string', maxLength: 1000, pattern: '^[^\\u0000]*$' },
  },
  additionalProperties: false,
  maxProperties: 50,
  description: 'up to 50 custom attributes with text values',
})

/**
 * RFC 5646 §2.1, without parts that no user's system sets: variants, extensions other than -u- (RFC 6067),
 * grandfathered tags.
 */
const LANGUAGE_TAG =
  '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-[Uu](?:-[0-9A-Za-z][A-Za-z](?:-[A-Za-z0-9]{3,8})*)+)?(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?$'

/** The profile fields that an administrator can set besides address and name. */
export const optionalProfile = {
  givenName: text(100, 'Ada'),
  familyName: text(100, 'Lovelace'),
  department: text(200, 'Engineering'),
  title: text(200, 'Engineer'),
  employeeId: text(100, '00123'),
  managerId: clearable(idOf('user')),
  location: text(200, 'London'),
  phone: text(50, '+44 20 7946 0000'),
  locale: clearable(
    Type.String({
      maxLength: 35,
      pattern: LANGUAGE_TAG,
      title: 'a language tag (BCP 47)',
      examples: ['en-GB'],
    }),
  ),
  timeZone: clearable(
    Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
      title: 'a time zone (IANA)',
      examples: ['Europe/London'],
    }),
  ),
  startDate: clearable(Type.String({ format: 'date' })),
  endDate: clearable(Type.String({ format: 'date' })),
  externalId: text(200, 'hr-4711'),
  userName: text(200, 'ada'),
  custom: clearable(Custom),
}

export const writableProfile = { email: EmailAddress, name: line(200, 'Ada Lovelace'), ...optionalProfile }

export const MethodType = Type.Enum(['passkey', 'security_key', 'authenticator_code'])

const shown = {
  id: idOf('user'),
  kind: Type.Enum(['person', 'service_account']),
  email: Type.String(),
  name: Type.String(),
  givenName: nullable(Type.String()),
  familyName: nullable(Type.String()),
  department: nullable(Type.String()),
  title: nullable(Type.String()),
  employeeId: nullable(Type.String()),
  managerId: nullable(idOf('user')),
  location: nullable(Type.String()),
  phone: nullable(Type.String()),
  locale: nullable(Type.String()),
  timeZone: nullable(Type.String()),
  startDate: nullable(Type.String()),
  endDate: nullable(Type.String()),
  externalId: nullable(Type.String()),
  userName: nullable(Type.String()),
  custom: Type.Record(Type.String(), Type.String()),
  status: Type.Enum(['invited', 'active', 'suspended', 'deleted']),
  source: Type.Enum([...userSources]),
  emailVerified: Type.Boolean(),
  groupCount: Type.Integer(),
  methods: Type.Array(Type.Object({ type: MethodType })),
  mfaStrength: Type.Enum(['none', 'otp', 'phishing_resistant']),
  lockedUntil: nullable(
    Type.String({
      format: 'date-time',
      description:
        'until this time, codes are rejected: all of them or those of one kind, on unknown devices, on one known device, or for the user who is signed in; the latest if there are several lockouts. Passkeys and sign-in links still work',
    }),
  ),
  lastSignInAt: nullable(Time),
  riskLevel: nullable(UserRisk),
  invitedAt: nullable(Time),
  activatedAt: nullable(Time),
  suspendedAt: nullable(Time),
  suspendReason: nullable(Type.String()),
  deletedAt: nullable(Time),
  createdAt: Time,
  updatedAt: Time,
  version: Version,
}

const roleFields = {
  roles: Type.Array(Type.String(), { description: 'display names' }),
  roleKeys: Type.Array(Type.Enum([...roleKeys])),
}

const link = { enrollUrl: Type.String({ format: 'uri' }), expiresAt: Time, emailed: Type.Boolean() }

export const User = Type.Object({ ...shown, ...roleFields }, { title: 'User' })
export const ListedUser = Type.Object(
  { ...shown, roles: Type.Optional(roleFields.roles), roleKeys: Type.Optional(roleFields.roleKeys) },
  { title: 'ListedUser' },
)
/** The user, and the enrolment link, which is shown only once. */
export const InvitedUser = Type.Object({ ...shown, ...roleFields, ...link }, { title: 'InvitedUser' })
export const EnrollmentLink = Type.Object(link, { title: 'EnrollmentLink' })

const strengthOf = (methods: UserRow['methods']): 'none' | 'otp' | 'phishing_resistant' => {
  if (methods.length === 0) return 'none'
  return methods.every(({ type }) => type === 'authenticator_code') ? 'otp' : 'phishing_resistant'
}

/** Converts a user for lists. */
export const toListedUser = (row: UserRow) => {
  const { roleKeys: _, ...rest } = row
  return {
    ...rest,
    kind: 'person' as const,
    mfaStrength: strengthOf(row.methods),
  }
}

/** A user with their roles. */
export const toUser = (row: UserRow) => ({
  ...toListedUser(row),
  roles: row.roleKeys.map((key) => roles[key]),
  roleKeys: row.roleKeys,
})

const succeeds = (attempt: () => unknown): boolean => {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/**
 * Checks what a schema cannot express.
 * @throws DomainError ERR_INVALID
 */
export const checkProfile = ({
  email,
  locale,
  timeZone,
  startDate,
  endDate,
}: Readonly<Record<string, unknown>>): void => {
  if (typeof email === 'string' && isPlaceholderAddress(email))
    throw new DomainError('ERR_INVALID', 'email: expected an address that can receive email', '/email')
  if (typeof locale === 'string' && !succeeds(() => Intl.getCanonicalLocales(locale)))
    throw new DomainError(
      'ERR_INVALID',
      'locale: expected a language tag (BCP 47), for example en-GB',
      '/locale',
    )
  if (typeof timeZone === 'string' && !succeeds(() => new Intl.DateTimeFormat('en', { timeZone })))
    throw new DomainError(
      'ERR_INVALID',
      'timeZone: expected a time zone (IANA), for example Europe/London',
      '/timeZone',
    )
  if (typeof startDate === 'string' && typeof endDate === 'string' && endDate < startDate)
    throw new DomainError('ERR_INVALID', 'endDate: expected a date not before startDate', '/endDate')
}
