/**
 * Brings one user's account to its desired state. Every step can be repeated, because the process may crash after any
 * of them.
 */
import {
  deactivation,
  externalIdFilter,
  overlaid,
  userLinkedTo,
  userNamed,
  userNameFilter,
  type WantedUser,
} from '../../../domain/provisioning/resource.ts'
import { isId } from '../../../domain/ids.ts'
import { ScimFailure, type ScimAnswer, type ScimRequest } from './client.ts'

export interface Pushed {
  /** Null if there is no account after all */
  readonly remoteId: string | null
  readonly done: 'created' | 'adopted' | 'updated' | 'deactivated'
}

const at = (remoteId: string): string => `/Users/${encodeURIComponent(remoteId)}`

const idOf = ({ body, location }: ScimAnswer): string => {
  const id = body?.['id']
  if (typeof id === 'string' && id !== '') return id
  const last = /\/Users\/([^/?#]+)\/?$/.exec(location ?? '')?.[1]
  if (last === undefined) throw new ScimFailure('rejected', 'returned no id for the new user')
  return decodeURIComponent(last)
}

/** Returns the account in the application; null if it no longer exists. */
const heldAt = async (
  request: ScimRequest,
  remoteId: string,
): Promise<Readonly<Record<string, unknown>> | null> => {
  const { status, body } = await request('GET', at(remoteId), [200, 404])
  if (status === 404) return null
  // A PUT over an unreadable resource would delete the values of others.
  if (body === null) throw new ScimFailure('rejected', 'returned 200, but not a user', status)
  return body
}

/** @returns false if the account no longer exists */
const update = async (request: ScimRequest, remoteId: string, wanted: WantedUser): Promise<boolean> => {
  const held = await heldAt(request, remoteId)
  if (held === null) return false
  const resource = { ...overlaid(wanted, held), id: remoteId }
  const { status } = await request('PUT', at(remoteId), [200, 201, 204, 404], resource)
  return status !== 404
}

export interface PushContext {
  /** Whether another user has, or will get, this account. */
  readonly belongs: (userId: string) => Promise<boolean>
  /**
   * Records that an account with this name is about to be created. If the outcome stays unknown, the account is
   * searched for later.
   */
  readonly intend: (userName: string) => Promise<void>
}

/** An account as stored by this service. */
export interface KnownAccount {
  readonly userId: string
  readonly remoteId: string | null
  /** Active without an id: it may have been created */
  readonly active: boolean
  /** Its last known or intended user name in the application; null if unknown */
  readonly userName: string | null
}

const listed = (request: ScimRequest, filter: string, expected: readonly number[]): Promise<ScimAnswer> =>
  request('GET', `/Users?filter=${encodeURIComponent(filter)}`, expected)

/** User names are not case-sensitive (RFC 7643 §4.1.1). */
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/**
 * Searches for an account that may exist under an unknown id. If it were missed, a second account would be created, or
 * a former user's account would stay active.
 * @param wantedName the user name that will be created next, which would detect the conflict itself; null if none
 * follows
 */
const existingAccountId = async (
  request: ScimRequest,
  { userId, userName }: KnownAccount,
  wantedName: string | null,
): Promise<string | null> => {
  const { status, body } = await listed(request, externalIdFilter(userId), [200, 400, 404, 501])
  const idIn = (user: Readonly<Record<string, unknown>> | null): string | null =>
    typeof user?.['id'] === 'string' ? user['id'] : null
  if (status === 200) return idIn(userLinkedTo(body, userId))
  // Not every service can search by external id.
  if (wantedName !== null && (userName === null || sameName(userName, wantedName))) return null
  if (userName === null)
    throw new ScimFailure(
      'rejected',
      `returned ${String(status)} when searching for the user's account`,
      status,
    )
  const user = userNamed((await listed(request, userNameFilter(userName), [200])).body, userName)
  const owner = user?.['externalId']
  if (user !== null && typeof owner !== 'string')
    throw new ScimFailure('rejected', 'returned an account without enough data to tell whose it is', status)
  return owner === userId ? idIn(user) : null
}

/** Returns the account that conflicts with a new one. It must not belong to another user. */
const adopt = async (request: ScimRequest, wanted: WantedUser, { belongs }: PushContext): Promise<Pushed> => {
  const list = await listed(request, userNameFilter(wanted.userName), [200])
  const user = userNamed(list.body, wanted.userName)
  const remoteId = user?.['id']
  if (typeof remoteId !== 'string')
    throw new ScimFailure('rejected', 'returned 409, but finds no single user with this user name', 409)
  const owner = user?.['externalId']
  if (
    typeof owner === 'string' &&
    owner !== wanted.externalId &&
    isId('user', owner) &&
    (await belongs(owner))
  )
    throw new ScimFailure('rejected', 'the user name belongs to the account of another user', 409)
  if (!(await update(request, remoteId, wanted)))
    throw new ScimFailure('rejected', 'the user that was found by user name no longer exists', 404)
  return { remoteId, done: 'adopted' }
}

const create = async (
  request: ScimRequest,
  wanted: WantedUser,
  account: KnownAccount,
  context: PushContext,
): Promise<Pushed> => {
  const { remoteId, active, userName } = account
  const unsure = remoteId === null && active
  const before =
    unsure || remoteId !== null ? await existingAccountId(request, account, wanted.userName) : null
  if (before !== null && (await update(request, before, wanted)))
    return { remoteId: before, done: before === remoteId ? 'updated' : 'created' }
  if (!unsure || userName !== wanted.userName) await context.intend(wanted.userName)
  const answer = await request('POST', '/Users', [200, 201, 409], overlaid(wanted))
  return answer.status === 409 ? adopt(request, wanted, context) : { remoteId: idOf(answer), done: 'created' }
}

const deactivate = async (request: ScimRequest, remoteId: string): Promise<Pushed> => {
  const { status } = await request('PATCH', at(remoteId), [200, 202, 204, 404, 405, 501], deactivation)
  // Without PATCH, which is optional (RFC 7644 §3.5.2), the whole account is replaced.
  if (status === 405 || status === 501) {
    const there = await heldAt(request, remoteId)
    if (there !== null) {
      const { meta: _, groups: __, ...held } = there
      await request('PUT', at(remoteId), [200, 204, 404], { ...held, id: remoteId, active: false })
    }
  }
  return { remoteId, done: 'deactivated' }
}

/**
 *
 * @param wanted the desired account; null if it must be inactive
 * @throws ScimFailure
 */
export const push = async (
  request: ScimRequest,
  account: KnownAccount,
  wanted: WantedUser | null,
  context: PushContext,
): Promise<Pushed> => {
  const { remoteId } = account
  if (wanted === null) {
    const id = remoteId ?? (await existingAccountId(request, account, null))
    return id === null ? { remoteId: null, done: 'deactivated' } : deactivate(request, id)
  }
  if (remoteId !== null && (await update(request, remoteId, wanted))) return { remoteId, done: 'updated' }
  return create(request, wanted, account, context)
}
