/** Publishing, archiving and deleting access packages, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { AccessPackageRecord } from '../records.ts'
import { usePackageTexts } from './access-packages-texts.ts'

type PackageAction = 'publish' | 'archive' | 'delete'

export const usePackageActions = (): Readonly<Record<PackageAction, RecordAction<AccessPackageRecord>>> => {
  const text = usePackageTexts()
  const roles = ['user_admin'] as const
  return {
    publish: {
      label: text.publish,
      roles,
      applies: ({ status }) => status !== 'published',
      effect: text.publishEffect,
      command: ({ id }) => ({ method: 'POST', path: `/access-packages/${id}/publish` }),
    },
    archive: {
      label: text.archive,
      roles,
      applies: ({ status }) => status === 'published',
      effect: text.archiveEffect,
      command: ({ id }) => ({ method: 'POST', path: `/access-packages/${id}/archive` }),
    },
    delete: {
      label: text.delete,
      roles,
      applies: ({ assignments, pendingRequests }) => assignments === 0 && pendingRequests === 0,
      dangerous: true,
      effect: text.deleteEffect,
      command: ({ id }) => ({ method: 'DELETE', path: `/access-packages/${id}` }),
    },
  }
}
