import type { Recorded } from '../../domain/catalogue.ts'
import type { Profile, UserEvent } from '../../domain/user/events.ts'
import { isUnreadableAddress, unreadableAddress, UNREADABLE_NAME } from '../../domain/user/unreadable.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { userId: string } }) => ({ id: event.data.userId })

/** The common changes of every event of the user's stream. */
const stamp = (event: Recorded<UserEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

const columns: Readonly<Record<keyof Profile, string>> = {
  email: 'email',
  name: 'name',
  givenName: 'given_name',
  familyName: 'family_name',
  department: 'department',
  title: 'title',
  employeeId: 'employee_id',
  managerId: 'manager_id',
  location: 'location',
  phone: 'phone',
  phonePrimary: 'phone_primary',
  locale: 'locale',
  timeZone: 'time_zone',
  startDate: 'start_date',
  endDate: 'end_date',
  externalId: 'external_id',
  userName: 'user_name',
  custom: 'custom',
}

const columnsOf = (profile: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(profile)) {
    // A field can have the name of an inherited property.
    if (!Object.hasOwn(columns, field)) continue
    const column = columns[field as keyof Profile]
    row[column] = field === 'custom' ? (value ?? {}) : value
    if (field === 'email' || field === 'userName')
      row[`${column}_key`] = typeof value === 'string' ? value.toLowerCase() : null
  }
  return row
}

const none = Object.fromEntries(Object.values(columns).map((column) => [column, null]))

/** The placeholder address of an erased user. */
export const erasedAddress = (userId: string): string =>
  `erased+${userId.slice('usr_'.length).toLowerCase()}@invalid`

/** What remains of a user whose key is destroyed; also the result of a replay. */
const erasedColumns = (userId: string) => ({
  ...none,
  email: erasedAddress(userId),
  email_key: null,
  email_verified: false,
  name: 'Erased user',
  user_name_key: null,
  custom: {},
  suspend_reason: null,
})

/** The same for a user whose key was lost: the user still exists. */
const unreadableColumns = (userId: string) => ({
  ...erasedColumns(userId),
  email: unreadableAddress(userId),
  name: UNREADABLE_NAME,
})

export const users: Table = {
  name: 'users',
  key: ['id'],
  on: {
    'user.invited': {
      apply: (event, rows) => {
        const profile = event.data.profile as Profile | undefined
        rows.put({
          ...(event.unreadable === true ? unreadableColumns : erasedColumns)(event.data.userId),
          ...(profile === undefined ? {} : columnsOf({ ...profile })),
          id: event.data.userId,
          source: event.data.source,
          status: 'invited',
          erased: false,
          email_verified: false,
          roles: [],
          invited_at: event.metadata.time,
          activated_at: null,
          suspended_at: null,
          deleted_at: null,
          created_at: event.metadata.time,
          locked_until: null,
          tokens_void_before: null,
          ...stamp(event),
        })
      },
    },
    'user.enrollment_link_issued': change(self, stamp),
    'user.enrollment_link_redeemed': change(self, stamp),
    'user.enrolled': change(self, (e) => ({ status: 'active', activated_at: e.metadata.time, ...stamp(e) })),
    'user.updated': change(self, (e) => {
      const changes = (e.data.changes as typeof e.data.changes | undefined) ?? []
      return { ...columnsOf(Object.fromEntries(changes.map(({ field, to }) => [field, to]))), ...stamp(e) }
    }),
    'user.email_changed': change(self, (e) => {
      const to = e.data.to as string | undefined
      return { ...(to === undefined ? {} : columnsOf({ email: to })), email_verified: false, ...stamp(e) }
    }),
    'user.email_verified': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        // The earlier verification does not apply to the address that an administrator enters later.
        const known = !isUnreadableAddress(String(rows.get(self(event))?.['email']))
        rows.patch(self(event), { email_verified: known, ...stamp(event) })
      },
    },
    'user.suspended': change(self, (e) => ({
      status: 'suspended',
      suspended_at: e.metadata.time,
      suspend_reason: e.data.reason ?? null,
      tokens_void_before: e.position,
      ...stamp(e),
    })),
    'user.reactivated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const enrolled = rows.get(self(event))?.['activated_at'] !== null
        rows.patch(self(event), {
          status: enrolled ? 'active' : 'invited',
          suspended_at: null,
          suspend_reason: null,
          ...stamp(event),
        })
      },
    },
    'user.deleted': change(self, (e) => ({
      status: 'deleted',
      deleted_at: e.metadata.time,
      email_key: null,
      user_name_key: null,
      external_id: null,
      roles: [],
      locked_until: null,
      tokens_void_before: e.position,
      ...stamp(e),
    })),
    'user.erased': change(self, (e) => ({ ...erasedColumns(e.data.userId), erased: true, ...stamp(e) })),
    'user.roles_changed': change(self, (e) => ({ roles: e.data.roles, ...stamp(e) })),
    'user.method_added': change(self, stamp),
    'user.authenticator_added': change(self, stamp),
    'user.recovery_codes_generated': change(self, stamp),
    'user.recovery_code_used': change(self, stamp),
    'user.linked_account_added': change(self, stamp),
    'user.linked_account_removed': change(self, stamp),
    'user.locked_out': change(self, (e) => ({ locked_until: e.data.until, ...stamp(e) })),
    'user.unlocked': change(self, (e) => ({ locked_until: null, ...stamp(e) })),
    'user.lockout_expired': change(self, (e) => ({ locked_until: null, ...stamp(e) })),
    'user.method_renamed': change(self, stamp),
    'user.method_removed': change(self, stamp),
    'user.methods_reset': change(self, (e) => ({
      locked_until: null,
      tokens_void_before: e.position,
      ...stamp(e),
    })),
    'risk_event.confirmed_compromised': change(self, (e) => ({ tokens_void_before: e.position })),
    'user.sessions_revoked': change(self, (e) => ({ tokens_void_before: e.position, ...stamp(e) })),
  },
}
