/** Who a group lets in, and where. */
import { useId, useMemo } from 'react'
import { AccessGraph, AccessGraphList } from '../access-graph.tsx'
import { graphOfGroup, MOST } from '../access-graph-model.ts'
import { accessGraphTexts } from '../access-graph-texts.ts'
import { useList } from '../api.ts'
import { Loaded, Section } from '../kit/record.tsx'
import type { ApplicationRecord, GroupRecord, MemberRecord } from '../records.ts'
import { useTexts } from '../text.tsx'

/** A user may be a member for several reasons, and is then listed as often. */
const READ = String(MOST * 4)

export const GroupAccess = ({ group }: { readonly group: GroupRecord }) => {
  const text = useTexts(accessGraphTexts)
  const members = useList<MemberRecord>(`/groups/${group.id}/members`, { limit: READ }, true)
  const applications = useList<ApplicationRecord>('/applications', { groupId: group.id, limit: READ }, true)
  return (
    <Section title={text.groupTitle} hint={text.groupHint}>
      <Loaded query={members}>
        {({ items: shownMembers }) => (
          <Loaded query={applications}>
            {({ items }) => <GroupGraph group={group} members={shownMembers} applications={items} />}
          </Loaded>
        )}
      </Loaded>
    </Section>
  )
}

const GroupGraph = ({
  group,
  members,
  applications,
}: {
  readonly group: GroupRecord
  readonly members: readonly MemberRecord[]
  readonly applications: readonly ApplicationRecord[]
}) => {
  const text = useTexts(accessGraphTexts)
  const listId = useId()
  const graph = useMemo(() => graphOfGroup(group, members, applications), [group, members, applications])
  return (
    <>
      <AccessGraph graph={graph} subject={group.id} label={text.graph(group.name)} listId={listId} />
      <div id={listId} tabIndex={-1} role="group" aria-label={text.list}>
        <AccessGraphList graph={graph} />
      </div>
    </>
  )
}
