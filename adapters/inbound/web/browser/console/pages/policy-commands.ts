/** Changing the status of policies and deleting them, alone or with others. */
import type { BulkActions, RecordAction } from '../kit/record-action.ts'
import type { PolicyRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { policyCommandTexts } from './policy-commands-texts.ts'
import { usePolicyTexts } from './policy-texts.ts'

export const useDeletePolicy = (): RecordAction<PolicyRecord> => {
  const text = useTexts(policyCommandTexts)
  return {
    label: text.delete,
    roles: ['security_admin'],
    applies: () => true,
    dangerous: true,
    effect: text.deleteEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/policies/${id}` }),
  }
}

export const usePolicyActions = (): BulkActions<PolicyRecord> => {
  const text = useTexts(policyCommandTexts)
  const { statusEffects } = usePolicyTexts()
  const remove = useDeletePolicy()
  const become = (label: string, status: PolicyRecord['status']): RecordAction<PolicyRecord> => ({
    label,
    roles: ['security_admin'],
    applies: (policy) => policy.status !== status,
    effect: statusEffects[status],
    command: ({ id }) => ({ method: 'PATCH', path: `/policies/${id}`, body: { status } }),
  })
  return {
    counted: text.counted,
    actions: [
      become(text.enable, 'enabled'),
      become(text.report, 'report_only'),
      become(text.disable, 'disabled'),
      remove,
    ],
  }
}
