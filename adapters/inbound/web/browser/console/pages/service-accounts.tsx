import { useState } from 'react'
import { useLocation } from 'wouter'
import { roleKeys, roles } from '../../../../../../domain/roles.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ServiceAccountRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import {
  accountFieldNames,
  newAccountOf,
  ServiceAccountFields,
  type AccountValues,
} from './service-account-fields.tsx'
import { ServiceAccountStatus } from './service-account-parts.tsx'
import { useServiceAccountActions } from './service-account-commands.ts'
import { serviceAccountsTexts } from './service-accounts-texts.ts'

const statuses = ['active', 'disabled', 'deleted'] as const

export const ServiceAccountsPage = () => {
  const text = useTexts(serviceAccountsTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const actions = useServiceAccountActions()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<ServiceAccountRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/service-accounts/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <ServiceAccountStatus status={status} />,
      text: ({ status }) => status,
    },
    {
      name: 'roles',
      label: text.roles,
      cell: ({ roles: held }) => held.map((role) => roles[role]).join(', '),
      text: ({ roles: held }) => held.join(' '),
    },
    {
      name: 'keys',
      label: text.activeKeys,
      cell: ({ keyCount }) => keyCount,
      text: ({ keyCount }) => String(keyCount),
    },
    {
      name: 'used',
      label: text.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? common.never : <Time value={lastUsedAt} relative />),
      text: ({ lastUsedAt }) => lastUsedAt ?? '',
    },
    {
      name: 'created',
      label: text.createdAt,
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
      <RecordList<ServiceAccountRecord>
        path="/service-accounts"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        bulk={{ counted: text.counted, actions: Object.values(actions) }}
        empty={text.empty}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: statuses.map((value) => ({ value, label: text[value] })),
          },
          {
            name: 'role',
            label: text.role,
            options: roleKeys.map((value) => ({ value, label: roles[value] })),
          },
        ]}
      />
      {creating && <CreateServiceAccount onClose={() => setCreating(false)} />}
    </>
  )
}

const CreateServiceAccount = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(serviceAccountsTexts)
  const [, setLocation] = useLocation()
  const [values, setValues] = useState<AccountValues>({ name: '', description: '', owner: null })
  return (
    <CommandDialog<ServiceAccountRecord>
      title={text.createTitle}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/service-accounts', body: newAccountOf(values) })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/service-accounts/${id}`)}
      names={accountFieldNames}
      fields={(errorOf) => <ServiceAccountFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
