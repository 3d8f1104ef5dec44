import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { AccessPackageRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { usePackageActions } from './access-package-commands.ts'
import { noPackage, packageBody, packageFieldNames, PackageFields } from './access-package-fields.tsx'
import { packageStatusNames, usePackageTexts } from './access-packages-texts.ts'

const tones: Readonly<Record<AccessPackageRecord['status'], Tone>> = {
  draft: 'warn',
  published: 'good',
  archived: 'neutral',
}

export const PackageBadge = ({ status }: Pick<AccessPackageRecord, 'status'>) => {
  const names = useTexts(packageStatusNames)
  return <Badge tone={tones[status]}>{names[status]}</Badge>
}

const groupsIn = ({ groups }: AccessPackageRecord): string =>
  groups.map(({ id, name }) => name ?? id).join(', ')

export const AccessPackagesPage = () => {
  const text = usePackageTexts()
  const common = useTexts(commonTexts)
  const statuses = useTexts(packageStatusNames)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const actions = usePackageActions()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<AccessPackageRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name, status }) => (
        <span>
          <PageLink to={`/console/access-packages/${id}`}>{name}</PageLink> <PackageBadge status={status} />
        </span>
      ),
      text: ({ name }) => name,
    },
    { name: 'groups', label: text.groups, cell: groupsIn, text: groupsIn },
    {
      name: 'assignments',
      label: text.assignments,
      cell: ({ assignments }) => String(assignments),
      text: ({ assignments }) => String(assignments),
    },
    {
      name: 'pending',
      label: text.pending,
      cell: ({ pendingRequests }) => String(pendingRequests),
      text: ({ pendingRequests }) => String(pendingRequests),
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
      <RecordList<AccessPackageRecord>
        path="/access-packages"
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
            label: text.state,
            options: Object.entries(statuses).map(([value, label]) => ({ value, label })),
          },
        ]}
      />
      {creating && <CreatePackage onClose={() => setCreating(false)} />}
    </>
  )
}

const CreatePackage = ({ onClose }: { readonly onClose: () => void }) => {
  const text = usePackageTexts()
  const [, setLocation] = useLocation()
  const [values, setValues] = useState(noPackage)
  return (
    <CommandDialog<AccessPackageRecord>
      title={text.create}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/access-packages', body: packageBody(values) })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/access-packages/${id}`)}
      names={packageFieldNames}
      fields={(errorOf) => <PackageFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
