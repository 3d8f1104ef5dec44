/** Statements of the service about configuration plans, which the client makes by comparing files with records. */
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { corePosition } from '../../../read-models/queries/core-position.ts'
import { openPlan, signPlan, type PlanStatement } from '../../engines/audit/configuration-plan-note.ts'
import { auditSigner } from '../../engines/audit/signer.ts'
import { newId } from '../../kernel/ids.ts'
import type { Services } from '../../application/services/services.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { prose, readers, Time } from '../http/schemas.ts'

const tag = 'Configuration'

const digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  title: 'the SHA-256 of the plan in hexadecimal',
})

const statement = {
  planId: idOf('configurationPlan', {
    description: 'also the correlation id of the audit entries of its changes',
  }),
  plannedBy: Type.Object({ id: idOf('user'), name: Type.String({ description: 'at that time' }) }),
  plannedAt: Time,
  position: Type.String({ description: 'position in the event log up to which the plan saw changes' }),
}

const ConfigurationPlan = Type.Object(
  { ...statement, note: Type.String({ description: 'the signed statement (C2SP signed-note)' }) },
  { title: 'ConfigurationPlan' },
)
const ConfigurationPlanStatement = Type.Object(statement, { title: 'ConfigurationPlanStatement' })

const shown = ({ digest: _, ...others }: PlanStatement): Omit<PlanStatement, 'digest'> => others

export const configurationPlanRoutes = (
  services: Pick<Services, 'pool' | 'vault' | 'publicUrl' | 'clock'>,
): readonly Route[] => {
  const { pool, clock } = services
  const signer = auditSigner(services)
  return [
    route({
      method: 'POST',
      path: '/configuration/plans',
      tag,
      summary: 'Sign a configuration plan',
      description:
        'States who planned what, when, and against which position of the log. The plan itself stays with the client: only its hash is sent, and nothing is stored.',
      access: readers,
      body: fields({ digest }),
      result: ConfigurationPlan,
      status: 200,
      errors: [],
      audit: [],
      handle: async ({ body, caller }) => {
        const made: PlanStatement = {
          planId: newId('configurationPlan'),
          digest: body.digest,
          plannedBy: { id: caller.userId, name: caller.name },
          plannedAt: clock.now(),
          position: await corePosition(pool),
        }
        return { body: { ...shown(made), note: signPlan(await signer(), made) } }
      },
    }),
    route({
      method: 'POST',
      path: '/configuration/plans/verify',
      tag,
      summary: 'Verify a configuration plan',
      description: 'Returns what the service stated when the plan was made.',
      access: readers,
      body: fields({
        digest,
        note: Type.String({ ...prose(4000), title: 'the signed statement of the plan' }),
      }),
      result: ConfigurationPlanStatement,
      status: 200,
      errors: [],
      audit: [],
      handle: async ({ body }) => {
        const made = openPlan(await signer(), body.note)
        if (made === null)
          throw new DomainError(
            'ERR_INVALID',
            'note: expected a statement of this service about a plan',
            '/note',
          )
        if (made.digest !== body.digest)
          throw new DomainError('ERR_INVALID', 'digest: the plan has changed since it was made', '/digest')
        return { body: shown(made) }
      },
    }),
  ]
}
