/** Deleting groups and removing members, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { GroupRecord, MemberRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { groupTexts } from './group-texts.ts'
import { groupsTexts } from './groups-texts.ts'

/** @param effect what happens, for one group; default: for several */
export const useDeleteGroup = (effect?: string): RecordAction<GroupRecord> => {
  const text = useTexts(groupsTexts)
  return {
    label: text.delete,
    roles: ['user_admin'],
    // The API refuses to delete a group that opens applications.
    applies: ({ applicationCount }) => applicationCount === 0,
    dangerous: true,
    effect: effect ?? text.deleteEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/groups/${id}` }),
  }
}

export const useRemoveMember = ({ id, name }: GroupRecord): RecordAction<MemberRecord> => {
  const text = useTexts(groupTexts)
  return {
    label: text.remove,
    roles: ['user_admin'],
    // Memberships that the service or a package manages cannot be removed by hand.
    applies: ({ via }) => via !== 'rule' && via !== 'package',
    dangerous: true,
    effect: text.removeEffect(name),
    command: ({ userId }) => ({ method: 'DELETE', path: `/groups/${id}/members/${userId}` }),
  }
}
