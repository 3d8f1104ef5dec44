import { useState } from 'react'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApplicationRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { ApplicationMark } from './application-logo.tsx'
import { CreateApplication } from './application-create.tsx'
import { useApplicationActions } from './application-commands.ts'
import { applicationStatusTexts, applicationsTexts } from './applications-texts.ts'

/** SAML is a kind of its own beside the types of OpenID Connect. */
export const kindOf = ({ protocol, type }: ApplicationRecord) =>
  protocol === 'saml' || type === null ? 'saml' : type

const types = ['web', 'spa', 'native', 'service', 'cli'] as const

export const ApplicationStatus = ({ status }: Pick<ApplicationRecord, 'status'>) => {
  const text = useTexts(applicationsTexts)
  return <Badge tone={status === 'active' ? 'good' : 'warn'}>{text[status]}</Badge>
}

export const ApplicationsPage = () => {
  const text = useTexts(applicationsTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const { counted } = useTexts(applicationStatusTexts)
  const actions = useApplicationActions()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<ApplicationRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name, builtIn, uploadedLogoUrl }) => (
        <>
          <ApplicationMark uploadedLogoUrl={uploadedLogoUrl} />
          <PageLink to={`/console/applications/${id}`}>{name}</PageLink>{' '}
          {builtIn && <Badge>{text.builtIn}</Badge>}
        </>
      ),
      text: ({ name }) => name,
    },
    {
      name: 'kind',
      label: text.kind,
      cell: (application) => text[kindOf(application)],
      text: (application) => kindOf(application),
    },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <ApplicationStatus status={status} />,
      text: ({ status }) => status,
    },
    {
      name: 'groups',
      label: text.groups,
      cell: ({ groupIds }) => groupIds.length,
      text: ({ groupIds }) => String(groupIds.length),
    },
    {
      name: 'created',
      label: text.created_at,
      sort: 'createdAt',
      cell: ({ createdAt }) => <Time value={createdAt} relative />,
      text: ({ createdAt }) => createdAt,
    },
  ]
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          )
        }
      />
      <RecordList<ApplicationRecord>
        path="/applications"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        past
        bulk={{ counted, actions: Object.values(actions) }}
        empty={text.empty}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: (['active', 'disabled'] as const).map((value) => ({ value, label: text[value] })),
          },
          {
            name: 'protocol',
            label: text.kind,
            options: [
              { value: 'oidc', label: 'OpenID Connect' },
              { value: 'saml', label: 'SAML 2.0' },
            ],
          },
          {
            name: 'type',
            label: 'OpenID Connect',
            options: types.map((value) => ({ value, label: text[value] })),
          },
        ]}
      />
      {creating && <CreateApplication onClose={() => setCreating(false)} />}
    </>
  )
}
