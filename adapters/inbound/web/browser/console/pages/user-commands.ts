/** What can be done with several users. */
import type { BulkActions } from '../kit/record-action.ts'
import type { InvitedUserRecord, ListedUserRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { userCommandTexts } from './user-commands-texts.ts'
import { userTexts } from './user-texts.ts'
import { usersTexts } from './users-texts.ts'

export const useUserActions = (): BulkActions<ListedUserRecord> => {
  const text = useTexts(userCommandTexts)
  const { suspend, suspendEffect, reactivate, reactivateEffect } = useTexts(usersTexts)
  const { reason, reasonHint } = useTexts(userTexts)
  return {
    counted: text.counted,
    actions: [
      {
        label: text.addToGroup,
        roles: ['user_admin'],
        applies: ({ status }) => status !== 'deleted',
        effect: text.addToGroupEffect,
        input: {
          name: 'groupId',
          label: text.group,
          needed: text.needsGroup,
          records: { path: '/groups', none: text.chooseGroup },
        },
        command: ({ id }, groupId) => ({
          method: 'PUT',
          path: `/groups/${groupId}/members/${id}`,
          body: {},
        }),
      },
      {
        label: text.invite,
        roles: ['user_admin', 'helpdesk_admin'],
        applies: ({ status }) => status === 'invited',
        effect: text.inviteEffect,
        command: ({ id }) => ({ method: 'POST', path: `/users/${id}/invite` }),
        refuted: (response) => ((response as InvitedUserRecord).emailed ? null : text.notEmailed),
      },
      {
        label: text.endSessions,
        roles: ['user_admin', 'helpdesk_admin', 'security_admin'],
        applies: ({ status }) => status === 'active',
        dangerous: true,
        effect: text.endSessionsEffect,
        command: ({ id }) => ({ method: 'POST', path: `/users/${id}/sessions/revoke` }),
      },
      {
        label: suspend,
        roles: ['user_admin'],
        applies: ({ status }) => status === 'active' || status === 'invited',
        dangerous: true,
        effect: suspendEffect,
        input: { name: 'reason', label: reason, hint: reasonHint },
        command: ({ id }, why) => ({
          method: 'POST',
          path: `/users/${id}/suspend`,
          body: why === '' ? {} : { reason: why },
        }),
      },
      {
        label: reactivate,
        roles: ['user_admin'],
        applies: ({ status }) => status === 'suspended',
        effect: reactivateEffect,
        command: ({ id }) => ({ method: 'POST', path: `/users/${id}/reactivate` }),
      },
    ],
  }
}
