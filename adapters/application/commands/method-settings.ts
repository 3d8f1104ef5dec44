import { methodSettingsDecider, methodSettingsStream } from '../../../domain/method-settings/decider.ts'
import type { MethodSetting, MethodType } from '../../../domain/method-settings/events.ts'
import { administratorWays } from '../../../read-models/queries/method-settings.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeGroups } from './references.ts'

/** The changes; `options` replaces all current options. */
export type MethodSettingChange = Partial<MethodSetting>

/**
 * Updates the settings of a sign-in method.
 * @throws DomainError ERR_INVALID for unknown groups and invalid options, ERR_CONFLICT if no sign-in method
 * would remain, or none for a global administrator (unless `force`)
 */
export const updateMethodSettings =
  ({
    handle,
    pool,
    locks,
    clock,
    configuration,
  }: Pick<Services, 'handle' | 'pool' | 'locks' | 'clock' | 'configuration'>) =>
  async (methodType: MethodType, fields: MethodSettingChange, force: boolean, actor: Actor) => {
    const change = async () => {
      const [administrators, { settings }] = await Promise.all([
        administratorWays(pool, clock.now()),
        configuration.fresh(),
      ])
      const strongOnly = settings.requireStrongForAdmins
      return handle(
        methodSettingsDecider,
        methodSettingsStream,
        { type: 'update', methodType, fields, administrators, strongOnly, force },
        actor,
      )
    }
    const { allowedGroupIds } = fields
    if (allowedGroupIds === undefined || allowedGroupIds === null) return change()
    return locks.alone(GROUP_USE, async () => {
      await mustBeGroups(pool, allowedGroupIds, 'allowedGroupIds')
      return change()
    })
  }
