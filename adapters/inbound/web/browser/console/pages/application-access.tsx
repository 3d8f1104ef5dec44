/** Who can reach an application: its groups, and each user with the paths that lead to it. */
import { useId, useMemo, useState } from 'react'
import { useList, type ListPage } from '../api.ts'
import { AccessGraph } from '../access-graph.tsx'
import { graphOfApplication } from '../access-graph-model.ts'
import { accessGraphTexts } from '../access-graph-texts.ts'
import { AccessPaths } from '../access-paths.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Picker } from '../kit/picker.tsx'
import { Loaded, Section } from '../kit/record.tsx'
import type { ApplicationAccess, ApplicationRecord, GroupRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { applicationTexts } from './application-texts.ts'

const SHOWN = '100'

export const ApplicationAccessTab = ({
  application,
  mayWrite,
}: {
  readonly application: ApplicationRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(applicationTexts)
  const { id, builtIn } = application
  const [assigning, setAssigning] = useState(false)
  const [removing, setRemoving] = useState<GroupRecord | null>(null)
  const users = useList<ApplicationAccess>(`/applications/${id}/access`, { limit: SHOWN }, true)
  const isEditable = mayWrite && !builtIn
  const unassign: Column<GroupRecord> = {
    name: 'unassign',
    label: text.unassign,
    cell: (group) => (
      <Button small look="danger" onClick={() => setRemoving(group)}>
        {text.unassign}
        <span className="visually-hidden"> {group.name}</span>
      </Button>
    ),
  }
  const columns: readonly Column<GroupRecord>[] = [
    {
      name: 'name',
      label: text.name,
      cell: (group) => <PageLink to={`/console/groups/${group.id}`}>{group.name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'description',
      label: text.description,
      cell: ({ description }) => description ?? '',
      text: ({ description }) => description ?? '',
    },
    ...(isEditable ? [unassign] : []),
  ]
  return (
    <>
      <Section
        title={text.groups}
        hint={text.groupsHint}
        actions={isEditable && <Button onClick={() => setAssigning(true)}>{text.assign}</Button>}
      >
        <RecordList<GroupRecord>
          path="/groups"
          fixed={{ applicationId: id }}
          label={text.groups}
          columns={columns}
          keyOf={(group) => group.id}
          nameOf={({ name }) => name}
          past
          empty={text.noGroups}
        />
      </Section>
      <Section title={text.who} hint={text.whoHint}>
        <Loaded query={users}>{(page) => <WhoReaches application={application} page={page} />}</Loaded>
      </Section>
      {assigning && (
        <Picker<GroupRecord>
          title={text.assign}
          intro={text.assignEffect}
          path="/groups"
          detail={({ description }) => description ?? ''}
          pick={text.assignOne}
          command={(group) => ({ method: 'PUT', path: `/applications/${id}/groups/${group.id}` })}
          done={({ name }) => text.assigned(name)}
          empty={text.noGroupsFound}
          onClose={() => setAssigning(false)}
        />
      )}
      {removing !== null && (
        <CommandDialog
          title={text.unassignTitle(removing.name)}
          intro={<p>{text.unassignEffect}</p>}
          confirm={text.unassign}
          dangerous
          done={text.unassigned(removing.name)}
          command={() => ({ method: 'DELETE', path: `/applications/${id}/groups/${removing.id}` })}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}

const WhoReaches = ({
  application,
  page: { items, next },
}: {
  readonly application: ApplicationRecord
  readonly page: ListPage<ApplicationAccess>
}) => {
  const text = useTexts(applicationTexts)
  const { graph: labelOf, list } = useTexts(accessGraphTexts)
  const listId = useId()
  const graph = useMemo(
    () => graphOfApplication(application, items, next === null, `#${listId}`),
    [application, items, next, listId],
  )
  return (
    <>
      {items.length > 0 && (
        <AccessGraph
          graph={graph}
          subject={application.id}
          label={labelOf(application.name)}
          listId={listId}
        />
      )}
      <div id={listId} tabIndex={-1} role="group" aria-label={list}>
        <AccessPaths
          empty={text.nobody}
          subjects={items.map(({ userId, name, reaches, via }) => ({
            key: userId,
            name,
            to: `/console/users/${userId}?tab=access`,
            reaches,
            via,
          }))}
        />
        {next !== null && <p className="hint">{text.more}</p>}
      </div>
    </>
  )
}
