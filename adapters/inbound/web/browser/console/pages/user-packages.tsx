/** The access packages that a user has, had or will have. */
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import type { PackageAssignmentRecord } from '../records.ts'
import { usePackageTexts } from './access-packages-texts.ts'
import { useAssignmentColumns } from './assignment-columns.tsx'

export const UserPackages = ({ userId }: { readonly userId: string }) => {
  const text = usePackageTexts()
  const shared = useAssignmentColumns()
  const columns: readonly Column<PackageAssignmentRecord>[] = [
    {
      name: 'package',
      label: text.name,
      cell: ({ packageId, packageName }) => (
        <PageLink to={`/console/access-packages/${packageId}`}>{packageName}</PageLink>
      ),
      text: ({ packageName }) => packageName,
    },
    ...shared,
  ]
  return (
    <RecordList<PackageAssignmentRecord>
      path={`/users/${userId}/access-packages`}
      label={text.title}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ packageName }) => packageName}
      empty={text.noAssignment}
      filters={[
        {
          name: 'state',
          label: text.onlyOpen,
          options: [
            { value: 'open', label: text.open },
            { value: 'ended', label: text.past },
          ],
        },
      ]}
    />
  )
}
