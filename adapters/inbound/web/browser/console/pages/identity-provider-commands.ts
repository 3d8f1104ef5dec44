/** Enabling and disabling several identity providers. */
import type { RecordAction } from '../kit/record-action.ts'
import type { IdentityProviderRecord } from '../records.ts'
import { useProvidersTexts } from './identity-providers-texts.ts'

export const useProviderActions = (): readonly RecordAction<IdentityProviderRecord>[] => {
  const text = useProvidersTexts()
  const roles = ['security_admin'] as const
  return [
    {
      label: text.enable,
      roles,
      applies: ({ enabled }) => !enabled,
      effect: text.enableEffect,
      command: ({ id }) => ({ method: 'POST', path: `/identity-providers/${id}/enable` }),
    },
    {
      label: text.disable,
      roles,
      applies: ({ enabled }) => enabled,
      dangerous: true,
      effect: text.disableEffect,
      // Without `endSessions` and `force`: both are decided about one provider, on its page.
      command: ({ id }) => ({ method: 'POST', path: `/identity-providers/${id}/disable`, body: {} }),
    },
  ]
}
