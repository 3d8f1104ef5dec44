import { defaultMethodSettings, settingAfter } from '../../domain/method-settings/decider.ts'
import type { AuthenticatorOptions, MethodSetting } from '../../domain/method-settings/events.ts'
import type { Table } from '../table.ts'

/** Settings of sign-in methods that differ, or ever differed, from the default. */
export const methodSettings: Table = {
  name: 'method_settings',
  key: ['type'],
  on: {
    'method_settings.updated': {
      reads: ({ data }) => [{ type: data.methodType }],
      apply: ({ data, metadata, revision }, rows) => {
        const row = rows.get({ type: data.methodType })
        const before: MethodSetting =
          row === undefined
            ? defaultMethodSettings[data.methodType]
            : {
                enabled: row['enabled'] as boolean,
                allowedGroupIds: row['allowed_group_ids'] as readonly string[] | null,
                options: row['options'] as AuthenticatorOptions | null,
              }
        const { enabled, allowedGroupIds, options } = settingAfter(before, data.changes)
        rows.put({
          type: data.methodType,
          enabled,
          allowed_group_ids: allowedGroupIds,
          options,
          updated_at: metadata.time,
          version: revision + 1,
        })
      },
    },
  },
}
