import { policyCommands } from '../../../adapters/application/commands/policies.ts'
import type { PolicyFields } from '../../../domain/policy/events.ts'
import { policy } from '../domain/policies.ts'
import { system, type TestService } from '../service/service.ts'

type Differences = Parameters<typeof policy>[0]

/** Saves policies without the guard against lock-outs, which has its own tests. */
export const policyWorld = (service: TestService) => {
  const policies = policyCommands(service.core.services)
  const unguarded = { here: null, force: true }

  const create = async (differences: Differences): Promise<string> => {
    const { id: _, version: __, status, ...fields } = policy(differences)
    return (await policies.create(fields satisfies PolicyFields, status, unguarded, system)).policyId
  }

  return {
    create,
    /** Changes everything but the name. */
    change: (policyId: string, differences: Differences) => {
      const { status, conditions, action } = policy(differences)
      return policies.update(policyId, { conditions, action }, status, unguarded, system)
    },

    /** Runs `work` while a policy is in effect. */
    under: async <T>(differences: Differences, work: () => Promise<T>): Promise<T> => {
      const policyId = await create(differences)
      try {
        return await work()
      } finally {
        await policies.delete(policyId, system)
      }
    },
  }
}
