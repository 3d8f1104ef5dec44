/** Deleting network zones, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { NetworkZoneRecord } from '../records.ts'
import { useNetworkZonesTexts } from './network-zones-texts.ts'

export const useDeleteZone = (): RecordAction<NetworkZoneRecord> => {
  const text = useNetworkZonesTexts()
  return {
    label: text.delete,
    roles: ['security_admin'],
    applies: ({ usedBy }) => usedBy.length === 0,
    dangerous: true,
    effect: text.deleteEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/network-zones/${id}` }),
  }
}
