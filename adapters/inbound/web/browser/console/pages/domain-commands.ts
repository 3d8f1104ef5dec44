/** Verifying and removing domains, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { DomainRecord } from '../records.ts'
import { useDomainsTexts } from './domains-texts.ts'

export const useDomainActions = (): Readonly<Record<'verify' | 'remove', RecordAction<DomainRecord>>> => {
  const text = useDomainsTexts()
  const roles = ['security_admin'] as const
  return {
    verify: {
      label: text.verify,
      roles,
      // A verified domain is looked up again.
      applies: () => true,
      effect: text.verifyEffect,
      command: ({ id }) => ({ method: 'POST', path: `/domains/${id}/verify` }),
    },
    remove: {
      label: text.remove,
      roles,
      applies: () => true,
      dangerous: true,
      effect: text.removeEffect,
      command: ({ id }) => ({ method: 'DELETE', path: `/domains/${id}` }),
    },
  }
}
