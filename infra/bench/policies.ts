import { policyDecider, policyStream } from '../../domain/policy/decider.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import type { Actor } from '../../adapters/application/services/handle.ts'
import type { Services } from '../../adapters/application/services/services.ts'

const many = (kind: 'group' | 'application' | 'networkZone', count: number): readonly string[] =>
  Array.from({ length: count }, () => newId(kind))

/** Enables policies with 50 ids in their conditions. They match nobody here, but only the last condition tells. */
export const enablePolicies = async (
  { handle, configuration }: Pick<Services, 'handle' | 'configuration'>,
  count: number,
  actor: Actor,
): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const policyId = newId('policy')
    await handle(
      policyDecider,
      policyStream(policyId),
      {
        type: 'create',
        policyId,
        status: 'enabled',
        fields: {
          name: `Policy ${String(n)}`,
          priority: n,
          action: 'block',
          conditions: {
            users: { include: many('group', 20), exclude: [], roles: [] },
            applications: { include: 'all', exclude: many('application', 15) },
            zones: { include: 'any', exclude: many('networkZone', 15) },
            devices: 'any',
            platforms: [],
            riskAtLeast: null,
            methods: [],
          },
        },
        guard: { others: [], administrators: [], here: null, force: true },
      },
      actor,
      { wait: 'recorded' },
    )
  }
  if (count > 0) {
    while ((await configuration.fresh()).policies.length < count)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
