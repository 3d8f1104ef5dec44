import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  policyDecider,
  policyStream,
  type PolicyCommand,
  type PolicyGuard,
} from '../../../domain/policy/decider.ts'
import type { PolicyFacts } from '../../../domain/policy/evaluate.ts'
import {
  isOwnApplication,
  type PolicyConditions,
  type PolicyFields,
  type PolicyStatus,
} from '../../../domain/policy/events.ts'
import { missingApplications } from '../../../read-models/queries/existence.ts'
import { policyAdministrators } from '../../../read-models/queries/policies.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeGroups, POLICY_USE } from './references.ts'

const ids = (selection: 'all' | 'any' | readonly string[]): readonly string[] =>
  typeof selection === 'string' ? [] : selection

const mustBeZones = ({ zones }: PolicyConditions, existing: readonly { readonly id: string }[]): void => {
  for (const part of ['include', 'exclude'] as const) {
    const missing = ids(zones[part]).findIndex((id) => !existing.some((zone) => zone.id === id))
    if (missing !== -1)
      throw new DomainError(
        'ERR_INVALID',
        `conditions/zones/${part}: expected ids of existing network zones, but ${String(ids(zones[part])[missing])} does not exist`,
        `/conditions/zones/${part}/${String(missing)}`,
      )
  }
}

export const policyCommands = ({
  handle,
  locks,
  pool,
  clock,
  configuration,
}: Pick<Services, 'handle' | 'locks' | 'pool' | 'clock' | 'configuration'>) => {
  const send = (command: PolicyCommand, actor: Actor) =>
    handle(policyDecider, policyStream(command.policyId), command, actor)

  const mustExist = async ({ users, applications }: PolicyConditions): Promise<void> => {
    for (const part of ['include', 'exclude'] as const) {
      await mustBeGroups(pool, ids(users[part]), `conditions/users/${part}`)
      const named = ids(applications[part])
      const [missing] = await missingApplications(
        pool,
        named.filter((id) => !isOwnApplication(id)),
      )
      if (missing !== undefined)
        throw new DomainError(
          'ERR_INVALID',
          `conditions/applications/${part}: expected ids of existing applications, but ${missing} does not exist`,
          `/conditions/applications/${part}/${String(named.indexOf(missing))}`,
        )
    }
  }

  /** Policies change one at a time, so that no two changes together lock everyone out. */
  const guarded = <T>(
    policyId: string | null,
    options: { readonly here: PolicyFacts | null; readonly force: boolean },
    conditions: PolicyConditions | undefined,
    work: (guard: PolicyGuard) => Promise<T>,
  ): Promise<T> =>
    locks.alone(POLICY_USE, () =>
      locks.alone(GROUP_USE, async () => {
        if (conditions !== undefined) await mustExist(conditions)
        const [administrators, { policies, networkZones }] = await Promise.all([
          policyAdministrators(pool, clock.now()),
          configuration.fresh(),
        ])
        if (conditions !== undefined) mustBeZones(conditions, networkZones)
        const others = policies.map(({ policy }) => policy).filter(({ id }) => id !== policyId)
        return work({ others, administrators, ...options })
      }),
    )

  return {
    /** @throws DomainError ERR_INVALID for ids that do not exist, ERR_CONFLICT if administrators would be locked out */
    create: (
      fields: PolicyFields,
      status: PolicyStatus,
      options: { readonly here: PolicyFacts | null; readonly force: boolean },
      actor: Actor,
    ) =>
      guarded(null, options, fields.conditions, async (guard) => {
        const policyId: Id<'policy'> = idsFor(actor.idempotencyKey).newId('policy')
        const { version } = await send({ type: 'create', policyId, fields, status, guard }, actor)
        return { policyId, version }
      }),

    /** @throws DomainError as `create` does, and ERR_NOT_FOUND */
    update: (
      policyId: string,
      fields: Readonly<Record<string, unknown>>,
      status: PolicyStatus | undefined,
      options: { readonly here: PolicyFacts | null; readonly force: boolean },
      actor: Actor,
    ) =>
      guarded(policyId, options, fields['conditions'] as PolicyConditions | undefined, (guard) =>
        send({ type: 'update', policyId, fields, ...(status === undefined ? {} : { status }), guard }, actor),
      ),

    /** @throws DomainError ERR_NOT_FOUND */
    delete: (policyId: string, actor: Actor) => send({ type: 'delete', policyId }, actor),
  }
}
