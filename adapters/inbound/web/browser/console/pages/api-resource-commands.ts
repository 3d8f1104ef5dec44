/** Deleting API resources, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { ApiResourceRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { apiResourcesTexts } from './api-resources-texts.ts'

/** @param effect what happens, for one API resource; default: for several */
export const useDeleteApiResource = (effect?: string): RecordAction<ApiResourceRecord> => {
  const text = useTexts(apiResourcesTexts)
  return {
    label: text.delete,
    roles: ['app_admin'],
    // The API refuses to delete one while applications have scopes of it.
    applies: ({ grantCount }) => grantCount === 0,
    dangerous: true,
    effect: effect ?? text.deleteManyEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/api-resources/${id}` }),
  }
}
