import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextArea, TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { GroupRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { useDeleteGroup } from './group-commands.ts'
import { groupsTexts } from './groups-texts.ts'

export const GroupsPage = () => {
  const text = useTexts(groupsTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const remove = useDeleteGroup()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<GroupRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/groups/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'description',
      label: text.description,
      cell: ({ description }) => description ?? '',
      text: ({ description }) => description ?? '',
    },
    {
      name: 'members',
      label: text.members,
      cell: ({ memberCount }) => memberCount,
      text: ({ memberCount }) => String(memberCount),
    },
    {
      name: 'applications',
      label: text.applications,
      cell: ({ applicationCount }) => applicationCount,
      text: ({ applicationCount }) => String(applicationCount),
    },
    {
      name: 'membership',
      label: text.membership,
      cell: ({ rule }) => (rule === null ? text.byHand : text.byRule),
      text: ({ rule }) => (rule === null ? text.byHand : text.byRule),
    },
    {
      name: 'source',
      label: text.source,
      cell: ({ source }) => (source === 'scim' ? text.fromScim : text.fromHere),
      text: ({ source }) => source,
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
      <RecordList<GroupRecord>
        path="/groups"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        past
        empty={text.empty}
        bulk={{ counted: text.counted, actions: [remove] }}
        filters={[{ name: 'q', label: common.search }]}
      />
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  )
}

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(groupsTexts)
  const [, setLocation] = useLocation()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  return (
    <CommandDialog<GroupRecord>
      title={text.createTitle}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created(name.trim())}
      command={() => ({
        method: 'POST',
        path: '/groups',
        body: {
          name: name.trim(),
          ...(description.trim() === '' ? {} : { description: description.trim() }),
        },
      })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/groups/${id}`)}
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
            autoFocus
          />
          <TextArea
            name="description"
            label={text.description}
            hint={text.optional}
            value={description}
            onChange={setDescription}
            error={errorOf('description')}
          />
        </>
      )}
    />
  )
}
