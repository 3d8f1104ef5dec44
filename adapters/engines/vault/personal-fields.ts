/**
 * Encrypts personal fields of events before they reach the log and decrypts them after reading, each bound to its
 * stream, event and field. An encrypted field is `sealed!` and ciphertext: `p<generation>.…` under a user's key,
 * `v1.…` under the service's key if there is no such user.
 */
import { SealBroken, SealLost } from './aead.ts'
import type { Vault } from './vault.ts'

const MARK = 'sealed!'
const PERSON_SEAL = /^sealed!p[1-9]\d{0,8}\./
const PURPOSE = 'personal-field'
const metadataFields = ['ip', 'userAgent'] as const
/** An event has at most two subjects, so one group needs one load. */
const GROUP = 5000

type Json = Readonly<Record<string, unknown>>

/** The parts of an event that encryption needs; all other fields are kept unchanged. */
export interface PersonalEvent {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly data: object
  readonly metadata: object
  /** After decryption: a field is missing because its key was lost. */
  readonly unreadable?: true
}

/** The part of a catalogue row that encryption needs. Both must also know the fields of older schema versions. */
export interface PersonalFields {
  /** Top-level names in `data` */
  readonly personal: readonly string[]
  /** Id of the user whom these fields describe; null if there is none. Must not read personal fields. */
  subject(data: Json): string | null
}

/** Returns the row of an event type; undefined for unknown types. */
export type RowFor = (type: string) => PersonalFields | undefined

type Keys = Pick<
  Vault,
  'seal' | 'open' | 'sealFor' | 'openFor' | 'ensureLoaded' | 'createPersonKeys' | 'personKeyState'
>

const aadOf = (event: PersonalEvent, field: string): string => `${event.stream}|${event.id}|${field}`
const isSealed = (value: unknown): value is string => typeof value === 'string' && value.startsWith(MARK)
const isPresent = (value: unknown): boolean => value !== null && value !== undefined

/** Service accounts have ids like users, but no key: they have no personal data. */
const programs: ReadonlySet<unknown> = new Set(['service_account', 'scim'])

const actorOf = (event: PersonalEvent): string | null => {
  const { actorId: actor, actorType } = event.metadata as Json
  return !programs.has(actorType) && typeof actor === 'string' && actor.startsWith('usr_') ? actor : null
}

const subjectToSeal = (event: PersonalEvent, row: PersonalFields | undefined): string | null => {
  const data = event.data as Json
  return row?.personal.some((field) => isPresent(data[field])) ? row.subject(data) : null
}

const sealValue = (keys: Keys, subject: string | null, value: unknown, aad: string): string => {
  const text = JSON.stringify(value)
  return MARK + (subject === null ? keys.seal(PURPOSE, text, aad) : keys.sealFor(subject, text, aad))
}

const sealOne = <E extends PersonalEvent>(keys: Keys, event: E, row: PersonalFields | undefined): E => {
  const data: Record<string, unknown> = { ...event.data }
  const subject = subjectToSeal(event, row)
  for (const field of row?.personal ?? []) {
    if (isPresent(data[field])) data[field] = sealValue(keys, subject, data[field], aadOf(event, field))
  }
  const metadata: Record<string, unknown> = { ...event.metadata }
  const actor = actorOf(event)
  const actorKey = actor === null ? 'unknown' : keys.personKeyState(actor)
  for (const field of metadataFields) {
    if (!isPresent(metadata[field])) continue
    // Rejects new personal data about an erased user, because it could never be erased.
    if (actorKey === 'destroyed') delete metadata[field]
    else {
      const aad = aadOf(event, `metadata.${field}`)
      metadata[field] = sealValue(keys, actorKey === 'present' ? actor : null, metadata[field], aad)
    }
  }
  return { ...event, data, metadata }
}

/**
 * Returns copies of events with encrypted personal fields. Creates missing keys. Null and undefined fields do not
 * change. `metadata.ip` and `metadata.userAgent` use the actor's key if there is one.
 * @throws PersonKeyDestroyed if an event has personal data about an erased user
 */
export const sealEvents = async <E extends PersonalEvent>(
  keys: Keys,
  events: readonly E[],
  rowFor: RowFor,
): Promise<E[]> => {
  const sealed: E[] = []
  for (let i = 0; i < events.length; i += GROUP) {
    const group = events.slice(i, i + GROUP)
    const subjects = group.flatMap((event) => subjectToSeal(event, rowFor(event.type)) ?? [])
    const actors = group.flatMap((event) => actorOf(event) ?? [])
    await keys.ensureLoaded([...subjects, ...actors])
    const strangers = subjects.filter((subject) => keys.personKeyState(subject) === 'unknown')
    if (strangers.length > 0) {
      await keys.createPersonKeys(strangers)
      await keys.ensureLoaded([...subjects, ...actors])
    }
    for (const event of group) sealed.push(sealOne(keys, event, rowFor(event.type)))
  }
  return sealed
}

/** `sealEvents` for one event with its row. */
export const sealEvent = async <E extends PersonalEvent>(
  keys: Keys,
  event: E,
  row: PersonalFields | undefined,
): Promise<E> => (await sealEvents(keys, [event], () => row))[0]!

interface Place {
  readonly holder: 'data' | 'metadata'
  readonly field: string
  readonly subject: string | null
}

/** The place and the key for encrypting the fields of an event */
const sealedPlaces = (
  event: PersonalEvent,
  row: PersonalFields | undefined,
  withOrigin: boolean,
): Place[] => {
  const places: Place[] = []
  const look = (holder: Place['holder'], fields: readonly string[], subject: () => string | null): void => {
    for (const field of fields) {
      const value = (event[holder] as Json)[field]
      if (!isSealed(value)) continue
      places.push({ holder, field, subject: PERSON_SEAL.test(value) ? subject() : null })
    }
  }
  if (row) look('data', row.personal, () => row.subject(event.data as Json))
  if (withOrigin) look('metadata', metadataFields, () => actorOf(event))
  return places
}

/** Returns the event without the encrypted origin. */
const withoutOrigin = <E extends PersonalEvent>(event: E): E => {
  const { ip: _ip, userAgent: _userAgent, ...metadata } = event.metadata as Json
  return { ...event, metadata }
}

const openOne = <E extends PersonalEvent>(keys: Keys, event: E, places: readonly Place[]): E => {
  if (places.length === 0) return event
  const opened = {
    data: { ...event.data } as Record<string, unknown>,
    metadata: { ...event.metadata } as Record<string, unknown>,
  }
  let lost = false
  for (const { holder, field, subject } of places) {
    const sealed = (opened[holder][field] as string).slice(MARK.length)
    const aad = aadOf(event, holder === 'data' ? field : `metadata.${field}`)
    try {
      const text =
        subject === null ? keys.open(PURPOSE, sealed, aad).toString() : keys.openFor(subject, sealed, aad)
      if (text === null) delete opened[holder][field]
      else opened[holder][field] = JSON.parse(text) as unknown
    } catch (cause) {
      if (!(cause instanceof SealBroken)) throw cause
      if (cause instanceof SealLost) {
        lost ||= holder === 'data'
        delete opened[holder][field]
        continue
      }
      throw new SealBroken(`${holder}.${field} of event ${event.id} (${event.type}) cannot be decrypted`, {
        cause,
      })
    }
  }
  return { ...event, ...opened, ...(lost ? { unreadable: true as const } : {}) }
}

/**
 * Returns decrypted copies of events. Omits fields of users whose key was destroyed, and fields under a lost key,
 * which `unreadable` reports for `data`. Loads the keys of up to 5000 events in one query.
 * @param withOrigin false omits `metadata.ip` and `metadata.userAgent`, for readers that do not need them
 * @throws SealBroken naming event and field
 * @throws PersonKeyMissing if the vault does not know a user of the log
 */
export const openEvents = async <E extends PersonalEvent>(
  keys: Keys,
  events: readonly E[],
  rowFor: RowFor,
  withOrigin = true,
): Promise<E[]> => {
  const opened: E[] = []
  for (let i = 0; i < events.length; i += GROUP) {
    const group = events.slice(i, i + GROUP).map((event) => ({
      event: withOrigin ? event : withoutOrigin(event),
      places: sealedPlaces(event, rowFor(event.type), withOrigin),
    }))
    await keys.ensureLoaded(group.flatMap(({ places }) => places.flatMap(({ subject }) => subject ?? [])))
    for (const { event, places } of group) opened.push(openOne(keys, event, places))
  }
  return opened
}
