/** Types of the JSON API's records, from the declarations of its routes. */
import type { Static } from 'typebox'
import type { Access } from '../../../api/access-schemas.ts'
import type { AuditEvent } from '../../../api/audit-schemas.ts'
import type { Group } from '../../../api/group-schemas.ts'
import type { Overview } from '../../../api/organization.ts'
import type { Session } from '../../../api/session-schemas.ts'
import type { SignIn } from '../../../api/sign-in-schemas.ts'
import type { SignInMethod } from '../../../api/user-relations.ts'
import type { InvitedUser, ListedUser, User } from '../../../api/user-schemas.ts'

export type AuditRecord = Static<typeof AuditEvent>
export type GroupRecord = Static<typeof Group>
export type InvitedUserRecord = Static<typeof InvitedUser>
export type ListedUserRecord = Static<typeof ListedUser>
export type OverviewRecord = Static<typeof Overview>
export type SessionRecord = Static<typeof Session>
export type SignInMethodRecord = Static<typeof SignInMethod>
export type SignInRecord = Static<typeof SignIn>
export type UserAccess = Static<typeof Access.ofPerson>
export type UserRecord = Static<typeof User>
