import { useState } from 'react'
import { roles, type Role } from '../../../../../../domain/roles.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { useMoment } from '../moment.tsx'
import type { InvitedUserRecord, ListedUserRecord } from '../records.ts'
import { RiskLevelBadge } from '../risk-badge.tsx'
import { riskLevelTexts } from '../risk-texts.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { UserStatus, userStatusTexts } from '../user-status.tsx'
import { InviteMany } from './invite-many.tsx'
import { inviteManyTexts } from './invite-many-texts.ts'
import { useUserActions } from './user-commands.ts'
import { usersTexts } from './users-texts.ts'

const roleOptions = (Object.entries(roles) as [Role, string][]).map(([value, label]) => ({ value, label }))

export const UsersPage = () => {
  const text = useTexts(usersTexts)
  const common = useTexts(commonTexts)
  const many = useTexts(inviteManyTexts)
  const statuses = useTexts(userStatusTexts)
  const risks = useTexts(riskLevelTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const bulk = useUserActions()
  const [inviting, setInviting] = useState<'one' | 'many' | null>(null)

  const columns: readonly Column<ListedUserRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/users/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    { name: 'email', label: text.email, cell: ({ email }) => email, text: ({ email }) => email },
    {
      name: 'status',
      label: text.status,
      cell: ({ status, riskLevel }) => (
        <>
          <UserStatus status={status} />{' '}
          {riskLevel !== null && riskLevel !== 'none' && (
            <RiskLevelBadge level={riskLevel} label={text.risk} />
          )}
        </>
      ),
      text: ({ status }) => status,
    },
    {
      name: 'department',
      label: text.department,
      cell: ({ department }) => department ?? '',
      text: ({ department }) => department ?? '',
    },
    {
      name: 'lastSignIn',
      label: text.lastSignIn,
      cell: ({ lastSignInAt }) =>
        lastSignInAt === null ? common.never : <Time value={lastSignInAt} relative />,
      text: ({ lastSignInAt }) => lastSignInAt ?? '',
    },
    {
      name: 'created',
      label: text.created,
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
            <>
              <Button onClick={() => setInviting('many')}>{many.open}</Button>
              <Button look="primary" onClick={() => setInviting('one')}>
                {text.invite}
              </Button>
            </>
          )
        }
      />
      <RecordList<ListedUserRecord>
        path="/users"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        past
        empty={text.empty}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: (['active', 'invited', 'suspended', 'deleted'] as const).map((value) => ({
              value,
              label: statuses[value],
            })),
          },
          { name: 'role', label: text.roles, options: roleOptions },
          {
            name: 'riskLevel',
            label: text.risk,
            past: false,
            options: (['high', 'medium', 'low', 'none'] as const).map((value) => ({
              value,
              label: risks[value],
            })),
          },
        ]}
        bulk={bulk}
      />
      {inviting === 'one' && <InviteDialog onClose={() => setInviting(null)} />}
      {inviting === 'many' && <InviteMany onClose={() => setInviting(null)} />}
    </>
  )
}

const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(usersTexts)
  const common = useTexts(commonTexts)
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [invited, setInvited] = useState<InvitedUserRecord | null>(null)
  if (invited !== null)
    return (
      <Dialog title={text.linkTitle} onClose={onClose}>
        <p>{invited.emailed ? text.emailed : text.notEmailed}</p>
        <Copy label={text.link} value={invited.enrollUrl} once />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            {common.close}
          </Button>
        </div>
      </Dialog>
    )
  return (
    <CommandDialog<InvitedUserRecord>
      title={text.inviteTitle}
      intro={<p>{text.inviteIntro}</p>}
      confirm={text.invite}
      done={text.invited(name)}
      command={() => ({ method: 'POST', path: '/users', body: { name: name.trim(), email: email.trim() } })}
      onClose={onClose}
      onDone={setInvited}
      names={['name', 'email']}
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
          <TextField
            name="email"
            type="email"
            label={text.email}
            value={email}
            onChange={setEmail}
            error={errorOf('email')}
            required
          />
        </>
      )}
    />
  )
}
