/** The dialogs of a group: its description, its members, its end. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextArea, TextField } from '../kit/field.tsx'
import { Picker } from '../kit/picker.tsx'
import type { GroupRecord, ListedUserRecord, MemberRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { useDeleteGroup, useRemoveMember } from './group-commands.ts'
import { groupTexts } from './group-texts.ts'
import { usersTexts } from './users-texts.ts'

interface ActionProps {
  readonly group: GroupRecord
  readonly onClose: () => void
}

export const EditGroup = ({ group, onClose }: ActionProps) => {
  const text = useTexts(groupTexts)
  const common = useTexts(commonTexts)
  const [name, setName] = useState(group.name)
  const [description, setDescription] = useState(group.description ?? '')
  return (
    <CommandDialog
      title={text.edit}
      intro={<p>{text.editEffect}</p>}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/groups/${group.id}`,
        // Only what was changed, so that a change by someone else meanwhile is kept.
        body: {
          ...(name === group.name ? {} : { name: name.trim() }),
          ...(description === (group.description ?? '') ? {} : { description: description.trim() || null }),
        },
      })}
      onClose={onClose}
      names={['name', 'description']}
      fields={(errorOf) => (
        <>
          <TextField
            name="name"
            label={text.name}
            value={name}
            onChange={setName}
            error={errorOf('name')}
            required
          />
          <TextArea
            name="description"
            label={text.description}
            value={description}
            onChange={setDescription}
            error={errorOf('description')}
          />
        </>
      )}
    />
  )
}

export const DeleteGroup = ({ group, onClose }: ActionProps) => {
  const text = useTexts(groupTexts)
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={useDeleteGroup(text.deleteEffect(group.memberCount))}
      item={group}
      title={text.deleteTitle(group.name)}
      detail={group.applicationCount > 0 && <p>{text.deleteBlocked(group.applicationCount)}</p>}
      done={text.deleted(group.name)}
      onClose={onClose}
      onDone={() => setLocation('/console/groups')}
    />
  )
}

export const AddMembers = ({ group, onClose }: ActionProps) => {
  const text = useTexts(groupTexts)
  const { empty } = useTexts(usersTexts)
  return (
    <Picker<ListedUserRecord>
      title={text.add}
      intro={text.addEffect}
      path="/users"
      detail={({ email }) => email}
      pick={text.addOne}
      command={({ id }) => ({ method: 'PUT', path: `/groups/${group.id}/members/${id}`, body: {} })}
      done={({ name }) => text.added(name)}
      empty={empty}
      onClose={onClose}
    />
  )
}

export const RemoveMember = ({ group, member, onClose }: ActionProps & { readonly member: MemberRecord }) => {
  const text = useTexts(groupTexts)
  return (
    <ActionDialog
      action={useRemoveMember(group)}
      item={member}
      title={text.removeTitle(member.name)}
      done={text.removed(member.name)}
      onClose={onClose}
    />
  )
}
