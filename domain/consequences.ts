/** The consequences of events, from the rows of the catalogue. */
import type { Consequences } from './catalogue-row.ts'
import { catalogue, rowOf, type EventOf, type EventType, type Recorded } from './catalogue.ts'

type ConsequencesOf<T extends EventType> = (typeof catalogue)[T]['consequences']

/** The event types whose row states this consequence. */
export type TypeThat<C extends Partial<Consequences>> = {
  [T in EventType]: ConsequencesOf<T> extends C ? T : never
}[EventType]

/** A recorded event of such a type. */
export type EventThat<C extends Partial<Consequences>> = Recorded<EventOf<TypeThat<C>>>

export type SessionEnding = Exclude<Consequences['endsSessions'], 'none'>
export type RuleMembersMove = Exclude<Consequences['movesRuleMembers'], 'none'>

/** Event types that end sessions. Each application used in one of them gets a sign-out notice. */
export type SessionEndingType = TypeThat<{ endsSessions: SessionEnding }>
/** Event types that can cause an email. */
export type EmailType = Exclude<EventType, TypeThat<{ emails: readonly [] }>>

const consequencesOf = (type: EventType): Consequences => rowOf(type).consequences

/** Whether a command reports success only once the event is in effect everywhere. */
export const takesAway = (type: EventType): boolean => consequencesOf(type).takesAway

/** Whether the audit trail must remove a name after the event. */
export const forgetsNames = (type: EventType): boolean => consequencesOf(type).forgetsNames

/** Whether memberships by rule can change after the event. */
export const movesRuleMembers = (type: EventType): boolean => consequencesOf(type).movesRuleMembers !== 'none'

export const endsSessions = (type: EventType): type is SessionEndingType =>
  consequencesOf(type).endsSessions !== 'none'

export const causesEmail = (type: EventType): type is EmailType => consequencesOf(type).emails.length > 0

/** Whether the users of provisioned applications can change after the event. */
export const marksProvisioning = (type: EventType): boolean => consequencesOf(type).marksProvisioning

/** Whether memberships by package or an approved request follow an event. Commands wait for them. */
export const deliversAccess = (type: EventType): boolean =>
  consequencesOf(type).movesPackageAccess === 'delivery'

/** Whether an event concerns access packages, their assignments or the requests for them. */
export const movesPackageAccess = (type: EventType): boolean =>
  consequencesOf(type).movesPackageAccess !== 'none'

/** Event types after which every instance reloads its cached configuration. */
export const configurationTypes = (Object.keys(catalogue) as EventType[]).filter(
  (type) => consequencesOf(type).changesConfiguration,
)

/** Narrows to events that end sessions in one way. */
export const endsSessionsAs =
  <E extends SessionEnding>(ending: E) =>
  (event: Recorded): event is EventThat<{ endsSessions: E }> =>
    consequencesOf(event.type).endsSessions === ending

/** Narrows to events after which the memberships by rule of a user, or of a group, can change. */
export const movesRuleMembersAs =
  <M extends RuleMembersMove>(move: M) =>
  (event: Recorded): event is EventThat<{ movesRuleMembers: M }> =>
    consequencesOf(event.type).movesRuleMembers === move
