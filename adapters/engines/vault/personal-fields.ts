/**
 * Personal fields of events are sealed before they reach the log and opened after they are read from it, each bound to
 * its stream, event and field. A sealed field is `sealed!` and a seal: `p<generation>.…` under a person's key, `v1.…`
 * under the service's where there is no such person.
 */
import { SealBroken, SealLost } from './aead.ts'
import type { Vault } from './vault.ts'

const MARK = 'sealed!'
const PERSON_SEAL = /^sealed!p[1-9]\d{0,8}\./
const PURPOSE = 'personal-field'
const metadataFields = ['ip', 'userAgent'] as const
/** Two subjects an event at most, so that one group is one load. */
const GROUP = 5000

type Json = Readonly<Record<string, unknown>>

/** What sealing needs of an event; anything else on it is passed through. */
export interface PersonalEvent {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly data: object
  readonly metadata: object
  /** Opened: a field is left out because the key that it was sealed under was lost. */
  readonly unreadable?: true
}

/** The part of a catalogue row that sealing reads. Both must also know the fields of older schema versions. */
export interface PersonalFields {
  /** Top-level names in `data`. */
  readonly personal: readonly string[]
  /** Id of the person whom these fields are about; null when nobody known. Must read no personal field. */
  subject(data: Json): string | null
}

/** The row of an event type; undefined for types that are not known. */
export type RowFor = (type: string) => PersonalFields | undefined

type Keys = Pick<
  Vault,
  'seal' | 'open' | 'sealFor' | 'openFor' | 'ensureLoaded' | 'createPersonKeys' | 'personKeyState'
>

const aadOf = (event: PersonalEvent, field: string): string => `${event.stream}|${event.id}|${field}`
const isSealed = (value: unknown): value is string => typeof value === 'string' && value.startsWith(MARK)
const isPresent = (value: unknown): boolean => value !== null && value !== undefined

/** Service accounts have ids like people, and no key: nothing of theirs is personal. */
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
    // An erased person leaves no new traces: nothing could ever erase them again.
    if (actorKey === 'destroyed') delete metadata[field]
    else {
      const aad = aadOf(event, `metadata.${field}`)
      metadata[field] = sealValue(keys, actorKey === 'present' ? actor : null, metadata[field], aad)
    }
  }
  return { ...event, data, metadata }
}

/**
 * Copies of events with their personal fields sealed. Makes keys for people who have none yet. Null and undefined
 * fields stay as they are. `metadata.ip` and `metadata.userAgent` go under the actor's key if they have one.
 * @throws PersonKeyDestroyed when an event says something personal about an erased person
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

/** `sealEvents` for one event whose row is at hand. */
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

/** Where an event is sealed, and under whose key. */
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

/** The event without the sealed part of where it came from. */
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
      throw new SealBroken(`${holder}.${field} of event ${event.id} (${event.type}) does not open`, { cause })
    }
  }
  return { ...event, ...opened, ...(lost ? { unreadable: true as const } : {}) }
}

/**
 * Copies of events as they were before sealing. Fields of people whose key was destroyed are left out, and so is what was
 * sealed under a key that was lost, which `unreadable` tells of where it was in `data`. Loads the
 * keys of up to 5000 events in one query.
 * @param withOrigin false leaves `metadata.ip` and `metadata.userAgent` out, for those who do not look at them
 * @throws SealBroken naming event and field
 * @throws PersonKeyMissing when the vault has never heard of a person whom the log knows
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
