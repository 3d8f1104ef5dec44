/** Who can reach an application: its groups, and each user with the paths that lead to it. */
import { useState } from 'react'
import { useList, useRecord } from '../api.ts'
import { AccessPaths } from '../access-paths.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import styles from '../kit/kit.module.css'
import { Picker } from '../kit/picker.tsx'
import { Loaded, Section } from '../kit/record.tsx'
import type { ApplicationAccess, ApplicationRecord, GroupRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { applicationTexts } from './application-texts.ts'

const SHOWN = '100'

export const ApplicationAccessTab = ({
  application: { id, groupIds, builtIn },
  mayWrite,
}: {
  readonly application: ApplicationRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(applicationTexts)
  const [assigning, setAssigning] = useState(false)
  const [removing, setRemoving] = useState<GroupRecord | null>(null)
  const users = useList<ApplicationAccess>(`/applications/${id}/access`, { limit: SHOWN }, true)
  const isEditable = mayWrite && !builtIn
  return (
    <>
      <Section
        title={text.groups}
        hint={groupIds.length === 0 ? text.noGroups : text.groupsHint}
        actions={isEditable && <Button onClick={() => setAssigning(true)}>{text.assign}</Button>}
      >
        <ul className={styles['picks']}>
          {groupIds.map((groupId) => (
            <AssignedGroup key={groupId} groupId={groupId} onRemove={isEditable ? setRemoving : null} />
          ))}
        </ul>
      </Section>
      <Section title={text.who} hint={text.whoHint}>
        <Loaded query={users}>
          {({ items, next }) => (
            <>
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
            </>
          )}
        </Loaded>
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

const AssignedGroup = ({
  groupId,
  onRemove,
}: {
  readonly groupId: string
  readonly onRemove: ((group: GroupRecord) => void) | null
}) => {
  const text = useTexts(applicationTexts)
  const group = useRecord<GroupRecord>(`/groups/${groupId}`, true)
  return (
    <li>
      <Loaded query={group}>
        {(data) => (
          <>
            <PageLink to={`/console/groups/${groupId}`}>{data.name}</PageLink>
            {onRemove !== null && (
              <Button small look="danger" onClick={() => onRemove(data)}>
                {text.unassign}
                <span className="visually-hidden"> {data.name}</span>
              </Button>
            )}
          </>
        )}
      </Loaded>
    </li>
  )
}
