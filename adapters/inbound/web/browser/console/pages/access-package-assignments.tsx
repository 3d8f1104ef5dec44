/** Who has an access package, until when and why. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Picker } from '../kit/picker.tsx'
import { Section } from '../kit/record.tsx'
import { inputOf, momentOf } from '../moment-input.ts'
import type { AccessPackageRecord, ListedUserRecord, PackageAssignmentRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { usePackageTexts } from './access-packages-texts.ts'
import { useAssignmentColumns } from './assignment-columns.tsx'

type Doing = { readonly what: 'end' | 'change'; readonly assignment: PackageAssignmentRecord }

export const PackageAssignments = ({
  one,
  mayWrite,
}: {
  readonly one: AccessPackageRecord
  readonly mayWrite: boolean
}) => {
  const text = usePackageTexts()
  const common = useTexts(commonTexts)
  const shared = useAssignmentColumns()
  const [assigning, setAssigning] = useState(false)
  const [doing, setDoing] = useState<Doing | null>(null)
  const isOpen = ({ status }: PackageAssignmentRecord) => status === 'active' || status === 'scheduled'
  const columns: readonly Column<PackageAssignmentRecord>[] = [
    {
      name: 'user',
      label: text.user,
      cell: ({ userId, userName }) => <PageLink to={`/console/users/${userId}`}>{userName}</PageLink>,
      text: ({ userName }) => userName,
    },
    ...shared,
    {
      name: 'actions',
      label: text.change,
      cell: (assignment) =>
        mayWrite &&
        isOpen(assignment) && (
          <span className="actions">
            <Button small onClick={() => setDoing({ what: 'change', assignment })}>
              {text.until}
              <span className="visually-hidden"> {assignment.userName}</span>
            </Button>
            <Button small look="danger" onClick={() => setDoing({ what: 'end', assignment })}>
              {text.end1}
              <span className="visually-hidden"> {assignment.userName}</span>
            </Button>
          </span>
        ),
      text: () => '',
    },
  ]
  return (
    <Section
      title={text.assignments}
      actions={
        mayWrite &&
        one.status !== 'draft' && (
          <Button small onClick={() => setAssigning(true)}>
            {text.assign}
          </Button>
        )
      }
    >
      <RecordList<PackageAssignmentRecord>
        path={`/access-packages/${one.id}/assignments`}
        label={text.assignments}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ userName }) => userName}
        empty={text.noAssignments}
        filters={[
          { name: 'q', label: common.search },
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
      {assigning && (
        <Picker<ListedUserRecord>
          title={text.assign}
          intro={text.assignIntro}
          path="/users"
          detail={({ email }) => email}
          empty={text.noUsers}
          pick={text.pick}
          command={({ id }) => ({
            method: 'POST',
            path: `/access-packages/${one.id}/assignments`,
            body: { userId: id },
          })}
          done={({ name }) => text.assigned(name)}
          onClose={() => setAssigning(false)}
        />
      )}
      {doing?.what === 'end' && (
        <EndAssignment one={one} assignment={doing.assignment} onClose={() => setDoing(null)} />
      )}
      {doing?.what === 'change' && (
        <ChangeEnd one={one} assignment={doing.assignment} onClose={() => setDoing(null)} />
      )}
    </Section>
  )
}

interface DialogProps {
  readonly one: AccessPackageRecord
  readonly assignment: PackageAssignmentRecord
  readonly onClose: () => void
}

const EndAssignment = ({ one, assignment: { id, userName }, onClose }: DialogProps) => {
  const text = usePackageTexts()
  return (
    <CommandDialog
      title={text.endTitle(userName)}
      intro={<p>{text.endEffect}</p>}
      confirm={text.end1}
      dangerous
      done={text.ended(userName)}
      command={() => ({ method: 'DELETE', path: `/access-packages/${one.id}/assignments/${id}` })}
      onClose={onClose}
    />
  )
}

const ChangeEnd = ({ one, assignment: { id, userName, expiresAt }, onClose }: DialogProps) => {
  const text = usePackageTexts()
  const common = useTexts(commonTexts)
  const [until, setUntil] = useState(expiresAt === null ? '' : inputOf(expiresAt))
  return (
    <CommandDialog
      title={`${text.until}: ${userName}`}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/access-packages/${one.id}/assignments/${id}`,
        body: { expiresAt: until === '' ? null : momentOf(until) },
      })}
      onClose={onClose}
      names={['expiresAt']}
      fields={(errorOf) => (
        <TextField
          name="expiresAt"
          type="datetime-local"
          label={text.until}
          hint={text.never}
          value={until}
          onChange={setUntil}
          error={errorOf('expiresAt')}
        />
      )}
    />
  )
}
