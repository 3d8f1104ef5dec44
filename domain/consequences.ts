/** What events bring about elsewhere, as the rows of the catalogue say it. */
import type { Consequences } from './catalogue-row.ts'
import { catalogue, rowOf, type EventOf, type EventType, type Recorded } from './catalogue.ts'

type ConsequencesOf<T extends EventType> = (typeof catalogue)[T]['consequences']

/** The types of event whose row says so. */
export type TypeThat<C extends Partial<Consequences>> = {
  [T in EventType]: ConsequencesOf<T> extends C ? T : never
}[EventType]

/** An event of such a type, as it is recorded. */
export type EventThat<C extends Partial<Consequences>> = Recorded<EventOf<TypeThat<C>>>

export type SessionEnding = Exclude<Consequences['endsSessions'], 'none'>
export type RuleMembersMove = Exclude<Consequences['movesRuleMembers'], 'none'>

/** The types of event that end sessions. Each application used in one of them gets a sign-out notice. */
export type SessionEndingType = TypeThat<{ endsSessions: SessionEnding }>
/** The types of event that can cause an email. */
export type EmailType = Exclude<EventType, TypeThat<{ emails: readonly [] }>>

const consequencesOf = (type: EventType): Consequences => rowOf(type).consequences

/** Whether a command reports success only once the event is in force everywhere. */
export const takesAway = (type: EventType): boolean => consequencesOf(type).takesAway

/** Whether the audit trail no longer knows a name after it. */
export const forgetsNames = (type: EventType): boolean => consequencesOf(type).forgetsNames

/** Whether the members that groups have by rule may change. */
export const movesRuleMembers = (type: EventType): boolean => consequencesOf(type).movesRuleMembers !== 'none'

export const endsSessions = (type: EventType): type is SessionEndingType =>
  consequencesOf(type).endsSessions !== 'none'

export const causesEmail = (type: EventType): type is EmailType => consequencesOf(type).emails.length > 0

/** Whether the people of provisioned applications may change. */
export const marksProvisioning = (type: EventType): boolean => consequencesOf(type).marksProvisioning

/** The types of event after which every instance reloads the configuration that it holds in memory. */
export const configurationTypes = (Object.keys(catalogue) as EventType[]).filter(
  (type) => consequencesOf(type).changesConfiguration,
)

/** Narrows to events that end sessions in one way. */
export const endsSessionsAs =
  <E extends SessionEnding>(ending: E) =>
  (event: Recorded): event is EventThat<{ endsSessions: E }> =>
    consequencesOf(event.type).endsSessions === ending

/** Narrows to events after which the memberships by rule of a person, or of a group, may change. */
export const movesRuleMembersAs =
  <M extends RuleMembersMove>(move: M) =>
  (event: Recorded): event is EventThat<{ movesRuleMembers: M }> =>
    consequencesOf(event.type).movesRuleMembers === move
