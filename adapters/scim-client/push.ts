/** One person's account, brought to what it is to be. Each step can be made twice: a process may die after any of them. */
import {
  deactivation,
  externalIdFilter,
  overlaid,
  userLinkedTo,
  userNamed,
  userNameFilter,
  type WantedUser,
} from '../../domain/provisioning/resource.ts'
import { isId } from '../../domain/ids.ts'
import { ScimFailure, type ScimAnswer, type ScimRequest } from './client.ts'

export interface Pushed {
  /** Null where there turned out to be no account. */
  readonly remoteId: string | null
  readonly done: 'created' | 'adopted' | 'updated' | 'deactivated'
}

const at = (remoteId: string): string => `/Users/${encodeURIComponent(remoteId)}`

const idOf = ({ body, location }: ScimAnswer): string => {
  const id = body?.['id']
  if (typeof id === 'string' && id !== '') return id
  const last = /\/Users\/([^/?#]+)\/?$/.exec(location ?? '')?.[1]
  if (last === undefined) throw new ScimFailure('rejected', 'answered without the id of the new user')
  return decodeURIComponent(last)
}

/** What the application holds of an account; null when there is no such account any more. */
const heldAt = async (
  request: ScimRequest,
  remoteId: string,
): Promise<Readonly<Record<string, unknown>> | null> => {
  const { status, body } = await request('GET', at(remoteId), [200, 404])
  if (status === 404) return null
  // A PUT over what could not be read would take away what others have put there.
  if (body === null) throw new ScimFailure('rejected', 'answered 200, but not with a user', status)
  return body
}

/** @returns false when there is no such account any more */
const update = async (request: ScimRequest, remoteId: string, wanted: WantedUser): Promise<boolean> => {
  const held = await heldAt(request, remoteId)
  if (held === null) return false
  const resource = { ...overlaid(wanted, held), id: remoteId }
  const { status } = await request('PUT', at(remoteId), [200, 201, 204, 404], resource)
  return status !== 404
}

export interface PushContext {
  /** Whether somebody is to have, or has, an account of their own. */
  readonly belongs: (userId: string) => Promise<boolean>
  /** Notes down that an account is about to be created: should its outcome stay unknown, it is looked for later. */
  readonly intend: () => Promise<void>
}

/** Finds what an attempt has created whose outcome nobody knows. Not every service can be asked so. */
const created = async (request: ScimRequest, externalId: string): Promise<string | null> => {
  const filter = encodeURIComponent(externalIdFilter(externalId))
  const list = await request('GET', `/Users?filter=${filter}`, [200, 400, 404, 501])
  const id = list.status === 200 ? userLinkedTo(list.body, externalId)?.['id'] : undefined
  return typeof id === 'string' ? id : null
}

/** The account that stands in the way of a new one. It may be nobody's or this person's, and no other's. */
const adopt = async (request: ScimRequest, wanted: WantedUser, { belongs }: PushContext): Promise<Pushed> => {
  const filter = encodeURIComponent(userNameFilter(wanted.userName))
  const list = await request('GET', `/Users?filter=${filter}`, [200])
  const found = userNamed(list.body, wanted.userName)
  const remoteId = found?.['id']
  if (typeof remoteId !== 'string')
    throw new ScimFailure('rejected', 'answered 409, but finds no single user of this user name', 409)
  const owner = found?.['externalId']
  if (
    typeof owner === 'string' &&
    owner !== wanted.externalId &&
    isId('user', owner) &&
    (await belongs(owner))
  )
    throw new ScimFailure('rejected', 'the user name belongs to the account of another person', 409)
  if (!(await update(request, remoteId, wanted)))
    throw new ScimFailure('rejected', 'the user that was found by its user name is gone', 404)
  return { remoteId, done: 'adopted' }
}

const create = async (
  request: ScimRequest,
  wanted: WantedUser,
  unsure: boolean,
  context: PushContext,
): Promise<Pushed> => {
  const before = unsure ? await created(request, wanted.externalId) : null
  if (before !== null && (await update(request, before, wanted))) return { remoteId: before, done: 'created' }
  if (!unsure) await context.intend()
  const answer = await request('POST', '/Users', [200, 201, 409], overlaid(wanted))
  return answer.status === 409 ? adopt(request, wanted, context) : { remoteId: idOf(answer), done: 'created' }
}

const deactivate = async (request: ScimRequest, remoteId: string): Promise<Pushed> => {
  const { status } = await request('PATCH', at(remoteId), [200, 202, 204, 404, 405, 501], deactivation)
  // Without PATCH, which is optional (RFC 7644 §3.5.2), the whole of it is replaced.
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
 * @param account as it is known; active without an id where it may have been created
 * @param wanted what the application is to hold; null where the account is to be inactive
 * @throws ScimFailure
 */
export const push = async (
  request: ScimRequest,
  account: { readonly userId: string; readonly remoteId: string | null; readonly active: boolean },
  wanted: WantedUser | null,
  context: PushContext,
): Promise<Pushed> => {
  const { userId, remoteId, active } = account
  if (wanted === null) {
    const id = remoteId ?? (await created(request, userId))
    return id === null ? { remoteId: null, done: 'deactivated' } : deactivate(request, id)
  }
  if (remoteId !== null && (await update(request, remoteId, wanted))) return { remoteId, done: 'updated' }
  return create(request, wanted, remoteId === null && active, context)
}
