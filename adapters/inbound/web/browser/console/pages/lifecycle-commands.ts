/** Enabling, disabling and deleting lifecycle rules, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { LifecycleRuleRecord } from '../records.ts'
import { useLifecycleTexts } from './lifecycle-texts.ts'

type RuleAction = 'enable' | 'disable' | 'delete'

export const useRuleActions = (): Readonly<Record<RuleAction, RecordAction<LifecycleRuleRecord>>> => {
  const text = useLifecycleTexts()
  const roles = ['user_admin'] as const
  return {
    enable: {
      label: text.enable,
      roles,
      applies: ({ status }) => status !== 'enabled',
      effect: text.enableEffect,
      command: ({ id }) => ({ method: 'POST', path: `/lifecycle/rules/${id}/enable` }),
    },
    disable: {
      label: text.disable,
      roles,
      applies: ({ status }) => status === 'enabled',
      effect: text.disableEffect,
      command: ({ id }) => ({ method: 'POST', path: `/lifecycle/rules/${id}/disable` }),
    },
    delete: {
      label: text.delete,
      roles,
      applies: () => true,
      dangerous: true,
      effect: text.deleteEffect,
      command: ({ id }) => ({ method: 'DELETE', path: `/lifecycle/rules/${id}` }),
    },
  }
}
