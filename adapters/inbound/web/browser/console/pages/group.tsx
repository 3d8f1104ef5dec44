import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AccessChanges } from '../access-changes.tsx'
import { accessGraphTexts } from '../access-graph-texts.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApplicationRecord, GroupRecord, MemberRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { UserStatus } from '../user-status.tsx'
import { AccessReviewTable } from './access-reviews.tsx'
import { accessReviewTexts } from './access-reviews-texts.ts'
import { AddMembers, DeleteGroup, EditGroup, RemoveMember } from './group-actions.tsx'
import { useRemoveMember } from './group-commands.ts'
import { GroupRule } from './group-rule.tsx'
import { GroupAccess } from './group-access.tsx'
import { groupTexts } from './group-texts.ts'
import { groupsTexts } from './groups-texts.ts'

export const GroupPage = ({ id }: { readonly id: string }) => {
  const group = useRecord<GroupRecord>(`/groups/${id}`, true)
  return <LoadedPage query={group}>{(data) => <LoadedGroup group={data} />}</LoadedPage>
}

const LoadedGroup = ({ group }: { readonly group: GroupRecord }) => {
  const text = useTexts(groupTexts)
  const { title: reviews } = useTexts(accessReviewTexts)
  const { access } = useTexts(accessGraphTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const [action, setAction] = useState<'edit' | 'delete' | null>(null)
  const close = (): void => setAction(null)
  return (
    <>
      <PageHead
        title={group.name}
        lead={group.description ?? undefined}
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
        label={group.name}
        path={`/console/groups/${group.id}`}
        tabs={[
          {
            name: 'members',
            label: text.members,
            body: () => <Members group={group} mayWrite={mayWrite} />,
          },
          { name: 'applications', label: text.applications, body: () => <Applications groupId={group.id} /> },
          { name: 'access', label: access, body: () => <GroupAccess group={group} /> },
          {
            name: 'rule',
            label: text.rule,
            body: () => <GroupRule group={group} mayWrite={mayWrite} />,
          },
          { name: 'details', label: text.details, body: () => <Details group={group} /> },
          ...(at === null
            ? [
                {
                  name: 'reviews',
                  label: reviews,
                  body: () => <AccessReviewTable fixed={{ resourceId: group.id }} />,
                },
                {
                  name: 'changes',
                  label: text.changes,
                  body: () => (
                    <Section title={text.changes} hint={text.changesHint}>
                      <AccessChanges
                        path={`/groups/${group.id}/members/diff`}
                        words={{ gained: text.joined, lost: text.left }}
                      />
                    </Section>
                  ),
                },
                {
                  name: 'history',
                  label: text.history,
                  body: () => (
                    <AuditTable path="/audit" fixed={{ targetType: 'group', targetId: group.id }} />
                  ),
                },
              ]
            : []),
        ]}
      />
      {action === 'edit' && <EditGroup group={group} onClose={close} />}
      {action === 'delete' && <DeleteGroup group={group} onClose={close} />}
    </>
  )
}

const Members = ({ group, mayWrite }: { readonly group: GroupRecord; readonly mayWrite: boolean }) => {
  const text = useTexts(groupTexts)
  const common = useTexts(commonTexts)
  const { countedMembers } = useTexts(groupsTexts)
  const remove = useRemoveMember(group)
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<MemberRecord | null>(null)
  const sources: Readonly<Record<MemberRecord['via'], string>> = {
    assigned: text.assigned,
    rule: text.byRule,
    package: text.package,
    scim: text.scim,
    lifecycle: text.lifecycle,
    identity_provider: text.identityProvider,
  }
  const columns: readonly Column<MemberRecord>[] = [
    {
      name: 'name',
      label: text.name,
      cell: ({ userId, name }) => <PageLink to={`/console/users/${userId}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    { name: 'email', label: text.email, cell: ({ email }) => email, text: ({ email }) => email },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <UserStatus status={status} />,
      text: ({ status }) => status,
    },
    { name: 'via', label: text.source, cell: ({ via }) => sources[via], text: ({ via }) => via },
    {
      name: 'since',
      label: text.since,
      cell: ({ addedAt, addedByName }) => (
        <span>
          <Time value={addedAt} relative /> {addedByName !== null && common.by(addedByName)}
        </span>
      ),
      text: ({ addedAt }) => addedAt,
    },
    {
      name: 'until',
      label: text.until,
      cell: ({ expiresAt }) => expiresAt !== null && <Time value={expiresAt} />,
      text: ({ expiresAt }) => expiresAt ?? '',
    },
    ...(mayWrite
      ? [
          {
            name: 'remove',
            label: text.remove,
            cell: (member: MemberRecord) =>
              remove.applies(member) && (
                <Button small look="danger" onClick={() => setRemoving(member)}>
                  {text.remove}
                  <span className="visually-hidden"> {member.name}</span>
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <Section
      title={text.members}
      actions={mayWrite && <Button onClick={() => setAdding(true)}>{text.add}</Button>}
    >
      <RecordList<MemberRecord>
        path={`/groups/${group.id}/members`}
        label={text.members}
        columns={columns}
        keyOf={({ userId, via, sourceId }) => `${userId} ${via} ${sourceId ?? ''}`}
        nameOf={({ name }) => name}
        past
        empty={text.noMembers}
        bulk={{ counted: countedMembers, actions: [remove] }}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'via',
            label: text.source,
            options: Object.entries(sources).map(([value, label]) => ({ value, label })),
          },
        ]}
      />
      {adding && <AddMembers group={group} onClose={() => setAdding(false)} />}
      {removing !== null && (
        <RemoveMember group={group} member={removing} onClose={() => setRemoving(null)} />
      )}
    </Section>
  )
}

const Applications = ({ groupId }: { readonly groupId: string }) => {
  const text = useTexts(groupTexts)
  const columns: readonly Column<ApplicationRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/applications/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'description',
      label: text.description,
      cell: ({ description }) => description ?? '',
      text: ({ description }) => description ?? '',
    },
  ]
  return (
    <RecordList<ApplicationRecord>
      path="/applications"
      label={text.applications}
      columns={columns}
      fixed={{ groupId }}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      sort="name"
      past
      empty={text.noApplications}
    />
  )
}

const Details = ({ group }: { readonly group: GroupRecord }) => {
  const text = useTexts(groupTexts)
  return (
    <Section title={text.details}>
      <Facts
        facts={[
          [text.groupId, <code key="id">{group.id}</code>],
          [text.description, group.description],
          [text.source, group.source === 'scim' ? text.scim : text.fromHere],
          [text.externalId, group.externalId],
          [text.created, <Time key="created" value={group.createdAt} />],
          [text.updated, <Time key="updated" value={group.updatedAt} />],
        ]}
      />
    </Section>
  )
}
