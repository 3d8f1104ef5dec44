/**
 * Records risk events: of sign-ins, whose risks were assessed before they were decided, and of other events that only
 * an attack explains. A sign-in with a passkey ends the risks before it. Ids are derived from the event that shows the
 * risk, so a batch that is processed twice records nothing twice.
 */
import type pg from 'pg'
import { isEventType, type EventType, type Recorded } from '../../../domain/catalogue.ts'
import { isRemediable, riskDecider, riskStream, type RiskCommand } from '../../../domain/risk/decider.ts'
import { RISK_DAYS, type DetectedRisk, type RiskOf, type RiskType } from '../../../domain/risk/events.ts'
import type { SignInAttempt } from '../../../domain/sign-in/events.ts'
import { openRisksOf } from '../../../read-models/queries/risk-events.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import type { Clock } from '../../kernel/clock.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor, Handle } from '../services/handle.ts'

export const RISK_EVENTS = 'risk-events'

const DAY_SECONDS = 86_400

const types = ['sign_in.recorded', 'user.locked_out', 'grant.revoked'] as const satisfies readonly EventType[]

type Cause = Extract<Recorded, { type: (typeof types)[number] }>

/** The event types that this subscriber handles. */
export const riskEventTypes = (type: string): boolean =>
  isEventType(type) && types.some((one) => one === type)

const isCause = (event: Recorded): event is Cause => riskEventTypes(event.type)

const nowhere = { signInId: null, sessionId: null, ip: null, location: null }

const derived = (cause: Cause, userId: string, risk: RiskOf<RiskType>): DetectedRisk => ({
  riskEventId: idsFor(`risk|${cause.id}|${risk.riskType}`).newId('riskEvent'),
  userId,
  ...nowhere,
  ...risk,
})

const ofSignIn = (event: Extract<Cause, { type: 'sign_in.recorded' }>): readonly DetectedRisk[] => {
  const { signInId, userId, sessionId, ip, location, decision } = event.data
  if (userId === null) return []
  // Missing for an erased user.
  const risks = (event.data.risks as SignInAttempt['risks'] | undefined) ?? []
  const origin = { signInId, sessionId, ip: ip ?? null, location: location ?? null }
  const raised = risks.map((risk): DetectedRisk => ({ userId, ...origin, ...risk }))
  const { result, method } = event.data
  const further: readonly RiskOf<RiskType>[] = [
    ...(decision?.facts.isBlockedZone === true
      ? [{ riskType: 'blocked_zone_attempt', level: 'medium', detail: {} } as const]
      : []),
    ...(decision?.facts.isBreakGlass === true && result === 'success' && method !== 'session'
      ? [{ riskType: 'break_glass_used', level: 'high', detail: {} } as const]
      : []),
  ]
  return [...raised, ...further.map((risk) => ({ ...derived(event, userId, risk), ...origin }))]
}

/** Returns the risks that an event shows. */
export const risksOf = (event: Cause): readonly DetectedRisk[] => {
  switch (event.type) {
    case 'sign_in.recorded':
      return ofSignIn(event)
    case 'user.locked_out': {
      const { userId, until } = event.data
      return [derived(event, userId, { riskType: 'code_lockout', level: 'medium', detail: { until } })]
    }
    case 'grant.revoked': {
      const { userId, applicationId, reason } = event.data
      if (userId === null || reason === 'revoked') return []
      const token = reason === 'code_reused' ? 'authorization_code' : 'refresh_token'
      const detail = { token, applicationId } as const
      return [derived(event, userId, { riskType: 'token_reuse', level: 'high', detail })]
    }
  }
}

/** Returns the user who proved with a passkey that it is them; null for any other event. */
const provenBy = (event: Cause): { readonly userId: string; readonly signInId: string } | null => {
  if (event.type !== 'sign_in.recorded') return null
  const { userId, signInId, result, method } = event.data
  return userId !== null && result === 'success' && (method === 'passkey' || method === 'security_key')
    ? { userId, signInId }
    : null
}

/** Whether an event shows a risk, or ends those of a user. */
export const changesRisks = (event: Recorded): boolean =>
  isCause(event) && (risksOf(event).length > 0 || provenBy(event) !== null)

export const recordRisks = (deps: {
  readonly pool: pg.Pool
  readonly handle: Handle
  readonly waitFor: WaitFor
  readonly clock: Clock
}) => {
  const { pool, handle, waitFor, clock } = deps

  return async (batch: { readonly events: readonly Recorded[] }): Promise<void> => {
    // What is older would not count any more: the first run reads a log of years.
    const since = clock.in(-RISK_DAYS * DAY_SECONDS)
    const recent = batch.events.filter(isCause).filter(({ metadata }) => metadata.time > since)
    const causes = recent.map((event) => ({
      event,
      risks: risksOf(event),
      proven: provenBy(event),
    }))
    const ofBatch = new Set(causes.flatMap(({ risks }) => risks.map(({ riskEventId }) => riskEventId)))
    const proven = causes.flatMap((cause) => cause.proven?.userId ?? [])
    // Risks of this batch can be visible already if it is processed again. They are taken in their order instead.
    const before = (await openRisksOf(pool, [...new Set(proven)])).filter(({ id }) => !ofBatch.has(id))
    const open = new Map<string, string[]>()
    const note = (userId: string, riskEventId: string) =>
      open.set(userId, [...(open.get(userId) ?? []), riskEventId])
    for (const { userId, id } of before) note(userId, id)

    let last = ''
    const send = async (riskEventId: string, command: RiskCommand, cause: Cause): Promise<void> => {
      const actor: Actor = {
        ...{ actorId: null, actorType: 'system', credential: null, ip: null },
        correlationId: cause.metadata.correlationId,
        causationId: cause.id,
      }
      const stream = riskStream(riskEventId)
      const { position } = await handle(riskDecider, stream, command, actor, { wait: 'recorded' })
      if (position !== null && position > last) last = position
    }
    for (const { event, risks, proven: owner } of causes) {
      for (const risk of risks) {
        await send(risk.riskEventId, { type: 'detect', risk }, event)
        if (risk.userId !== null && isRemediable(risk.riskType)) note(risk.userId, risk.riskEventId)
      }
      if (owner === null) continue
      for (const riskEventId of open.get(owner.userId) ?? [])
        await send(riskEventId, { type: 'remediate', riskEventId, signInId: owner.signInId }, event)
      open.delete(owner.userId)
    }
    // The next batch has to see them.
    if (last !== '' && !(await waitFor('core', last))) throw new Error('the read models lag behind')
  }
}
