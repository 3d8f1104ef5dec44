import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { LoadedPage, PageHead, Tabs } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { ApiResourceRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { DeleteApiResource, EditApiResource } from './api-resource-actions.tsx'
import { ApiResourceGrants } from './api-resource-grants.tsx'
import { ApiResourceScopes } from './api-resource-scopes.tsx'
import { ApiResourceSettings } from './api-resource-settings.tsx'
import { apiResourcesTexts } from './api-resources-texts.ts'

export const ApiResourcePage = ({ id }: { readonly id: string }) => {
  const resource = useRecord<ApiResourceRecord>(`/api-resources/${id}`)
  return <LoadedPage query={resource}>{(data) => <LoadedApiResource resource={data} />}</LoadedPage>
}

const LoadedApiResource = ({ resource }: { readonly resource: ApiResourceRecord }) => {
  const text = useTexts(apiResourcesTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const [action, setAction] = useState<'edit' | 'delete' | null>(null)
  const close = (): void => setAction(null)
  return (
    <>
      <PageHead
        title={resource.name}
        lead={resource.identifier}
        actions={
          mayWrite && (
            <>
              <Button small onClick={() => setAction('edit')}>
                {text.edit}
              </Button>
              <Button small look="danger" onClick={() => setAction('delete')}>
                {text.delete}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={resource.name}
        path={`/console/api-resources/${resource.id}`}
        tabs={[
          {
            name: 'scopes',
            label: text.scopes,
            body: () => <ApiResourceScopes resource={resource} mayWrite={mayWrite} />,
          },
          {
            name: 'applications',
            label: text.applications,
            body: () => <ApiResourceGrants resource={resource} mayWrite={mayWrite} />,
          },
          {
            name: 'settings',
            label: text.settings,
            body: () => <ApiResourceSettings resource={resource} mayWrite={mayWrite} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'api_resource', targetId: resource.id }} />
            ),
          },
        ]}
      />
      {action === 'edit' && <EditApiResource resource={resource} onClose={close} />}
      {action === 'delete' && <DeleteApiResource resource={resource} onClose={close} />}
    </>
  )
}
