import { Type } from 'typebox'
import { findRiskEvent, listRiskEvents } from '../../../read-models/queries/risk-events.ts'
import { riskEventCommands } from '../../application/commands/risk-events.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, proven, prose, readBack, readers, timeInput, writers } from '../http/schemas.ts'
import { noteInput, RiskEvent, RiskLevels, RiskStates, RiskTypes } from './risk-event-schemas.ts'
import { newestFirst } from './session-schemas.ts'
import { between } from './sign-in-schemas.ts'

const tag = 'Risk events'
const params = fields({ id: idOf('riskEvent') })

/** Routes for risk events: possible attacks on users, and what administrators and users say about them. */
export const riskEventRoutes = (services: Pick<Services, 'handle' | 'pool' | 'locks'>): readonly Route[] => {
  const { pool } = services
  const risks = riskEventCommands(services)
  const read = (id: string) => findRiskEvent(pool, id)

  const resolution = (
    action: 'dismiss' | 'confirm-safe',
    verdict: 'dismissed' | 'confirmed_safe',
    summary: string,
    audit: string,
  ): Route =>
    route({
      method: 'POST',
      path: `/risk-events/{id}/${action}`,
      tag,
      summary,
      access: proven(writers('security_admin')),
      params,
      body: fields(noteInput),
      result: RiskEvent,
      status: 200,
      errors: ['ERR_STALE'],
      audit: [audit],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await risks.resolve(id, verdict, request.body.note, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    })

  return [
    route({
      method: 'GET',
      path: '/risk-events',
      tag,
      summary: 'List risk events, newest first',
      access: readers,
      query: listQuery({
        userId: Type.Optional(idOf('user')),
        type: Type.Optional(RiskTypes),
        level: Type.Optional(RiskLevels),
        state: Type.Optional(RiskStates),
        from: Type.Optional(timeInput('Start time (inclusive)')),
        to: Type.Optional(timeInput('End time (exclusive)')),
      }),
      result: Type.Array(RiskEvent),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = newestFirst(query)
        const rows = await listRiskEvents(pool, { ...query, ...between(query) }, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'GET',
      path: '/risk-events/{id}',
      tag,
      summary: 'Read a risk event',
      access: readers,
      params,
      result: RiskEvent,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    resolution('dismiss', 'dismissed', 'Dismiss a risk event', 'risk_event.dismiss'),
    resolution(
      'confirm-safe',
      'confirmed_safe',
      'Confirm that a risk event was the user',
      'risk_event.confirm',
    ),
    route({
      method: 'POST',
      path: '/risk-events/{id}/confirm-compromised',
      tag,
      summary: 'Confirm that a risk event was an attacker',
      description:
        'Ends sessions and tokens of the user before the response is sent. The user cannot sign in until their sign-in methods are reset.',
      access: proven(writers('security_admin')),
      params,
      body: fields(noteInput),
      result: RiskEvent,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_LAST_ADMIN', 'ERR_STALE'],
      audit: ['risk_event.confirm'],
      handle: async (request) => {
        const { id } = request.params
        const { roles } = request.caller
        const { version } = await risks.confirmCompromised(id, roles, request.body.note, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/confirm-compromised',
      tag,
      summary: 'Confirm that the account of a user is compromised',
      description:
        'Creates a risk event. Ends sessions and tokens of the user before the response is sent. The user cannot sign in until their sign-in methods are reset.',
      access: proven(writers('security_admin')),
      params: fields({ id: idOf('user') }),
      body: fields(noteInput),
      result: RiskEvent,
      status: 201,
      errors: ['ERR_LAST_ADMIN'],
      audit: ['risk_event.detect', 'risk_event.confirm'],
      handle: async (request) => {
        const { body, caller, params: subject } = request
        const { riskEventId, version } = await risks.confirmUserCompromised(
          subject.id,
          caller.roles,
          body.note,
          actorOf(request),
        )
        return created(`/api/v1/risk-events/${riskEventId}`, await readBack(read(riskEventId), version))
      },
    }),
    route({
      method: 'POST',
      path: '/me/report-activity',
      tag: 'Account',
      summary: 'Report a sign-in that you do not recognize',
      description:
        'Creates a risk event of level high, and ends the session that the sign-in started, unless it is the session of this request.',
      access: { credentials: ['session', 'cli_token'] },
      body: fields({
        signInId: idOf('signInEvent', { description: 'One of your sign-in attempts' }),
        note: Type.Optional(prose(500)),
      }),
      result: Type.Object(
        { riskEventId: idOf('riskEvent'), sessionEnded: Type.Boolean() },
        { title: 'ReportedActivity' },
      ),
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      audit: ['risk_event.detect', 'session.end'],
      handle: async (request) => ({
        body: await risks.report(request.caller, request.body, actorOf(request)),
      }),
    }),
  ]
}
