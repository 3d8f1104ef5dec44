/** Deleting mappings of SSH principals, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { SshPrincipalMappingRecord } from '../records.ts'
import { useSshTexts } from './ssh-texts.ts'

export const useDeleteMapping = (): RecordAction<SshPrincipalMappingRecord> => {
  const text = useSshTexts()
  return {
    label: text.delete,
    roles: ['security_admin'],
    applies: () => true,
    dangerous: true,
    effect: text.deleteEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/ssh/principal-mappings/${id}` }),
  }
}
