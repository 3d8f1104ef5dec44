/** The actions on a user: which are offered to whom, and the dialog of each. */
import { useState } from 'react'
import { roleKeys, roles, type Role } from '../../../../../../domain/roles.ts'
import type { Command } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Checkbox, TextArea, TextField } from '../kit/field.tsx'
import type { UserRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { userTexts } from './user-texts.ts'

export type UserAction =
  | 'edit'
  | 'roleChange'
  | 'invite'
  | 'unlock'
  | 'resetMethods'
  | 'revokeSessions'
  | 'compromised'
  | 'suspend'
  | 'reactivate'
  | 'remove'
  | 'erase'

interface Offer {
  readonly name: UserAction
  readonly dangerous: boolean
}

/** What the signed-in administrator holds: may change users, may help them, is a global administrator, is a security administrator. */
export interface Held {
  readonly writes: boolean
  readonly helps: boolean
  readonly rules: boolean
  readonly secures: boolean
}

/** Returns the actions that make sense for a user in this state, to an administrator with these roles. */
export const userActions = (
  { status, lockedUntil }: UserRecord,
  { writes, helps, rules, secures }: Held,
): readonly Offer[] => {
  const offers: readonly (Offer & { readonly when: boolean })[] = [
    { name: 'edit', dangerous: false, when: writes && status !== 'deleted' },
    { name: 'invite', dangerous: false, when: helps && status === 'invited' },
    { name: 'unlock', dangerous: false, when: helps && lockedUntil !== null },
    { name: 'roleChange', dangerous: false, when: rules && status !== 'deleted' },
    { name: 'suspend', dangerous: true, when: writes && (status === 'active' || status === 'invited') },
    { name: 'reactivate', dangerous: false, when: writes && status === 'suspended' },
    { name: 'resetMethods', dangerous: true, when: helps && status === 'active' },
    { name: 'revokeSessions', dangerous: true, when: helps && status === 'active' },
    { name: 'compromised', dangerous: true, when: secures && status === 'active' },
    { name: 'remove', dangerous: true, when: writes && status !== 'deleted' },
    { name: 'erase', dangerous: true, when: rules && status === 'deleted' },
  ]
  return offers.filter(({ when }) => when)
}

interface ActionProps {
  readonly user: UserRecord
  readonly onClose: () => void
}

export const UserDialog = ({ action, ...props }: ActionProps & { readonly action: UserAction }) => {
  switch (action) {
    case 'edit':
      return <EditDialog {...props} />
    case 'roleChange':
      return <RolesDialog {...props} />
    case 'suspend':
      return <SuspendDialog {...props} />
    default:
      return <PlainDialog {...props} action={action} />
  }
}

const EditDialog = ({ user, onClose }: ActionProps) => {
  const text = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const [fields, setFields] = useState({
    name: user.name,
    email: user.email,
    title: user.title ?? '',
    department: user.department ?? '',
    location: user.location ?? '',
    phone: user.phone ?? '',
  })
  const labels = {
    name: text.name,
    email: text.email,
    title: text.jobTitle,
    department: text.department,
    location: text.location,
    phone: text.phone,
  }
  const names = Object.keys(labels) as (keyof typeof labels)[]
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/users/${user.id}`,
        // Only what was changed, so that a change by someone else meanwhile is kept.
        body: Object.fromEntries(
          names
            .filter((name) => fields[name] !== (user[name] ?? ''))
            .map((name) => [name, fields[name].trim() === '' ? null : fields[name].trim()]),
        ),
      })}
      onClose={onClose}
      names={names}
      fields={(errorOf) =>
        names.map((name) => (
          <TextField
            key={name}
            name={name}
            label={labels[name]}
            type={name === 'email' ? 'email' : 'text'}
            value={fields[name]}
            onChange={(value) => setFields({ ...fields, [name]: value })}
            error={errorOf(name)}
          />
        ))
      }
    />
  )
}

const RolesDialog = ({ user, onClose }: ActionProps) => {
  const text = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const [chosen, setChosen] = useState<readonly Role[]>(user.roleKeys)
  return (
    <CommandDialog
      title={text.roleChange}
      confirm={common.save}
      done={text.saved}
      command={() => ({ method: 'PUT', path: `/users/${user.id}/roles`, body: { roles: chosen } })}
      onClose={onClose}
      fields={() => (
        <fieldset className="dialog-body">
          <legend className="visually-hidden">{text.roles}</legend>
          {roleKeys.map((role) => (
            <Checkbox
              key={role}
              label={roles[role]}
              checked={chosen.includes(role)}
              onChange={(checked) =>
                setChosen(checked ? [...chosen, role] : chosen.filter((other) => other !== role))
              }
            />
          ))}
        </fieldset>
      )}
    />
  )
}

const SuspendDialog = ({ user, onClose }: ActionProps) => {
  const text = useTexts(userTexts)
  const [reason, setReason] = useState('')
  return (
    <CommandDialog
      title={`${text.suspend}: ${user.name}`}
      intro={<p>{text.suspendEffect}</p>}
      confirm={text.suspend}
      dangerous
      done={text.suspended}
      command={() => ({
        method: 'POST',
        path: `/users/${user.id}/suspend`,
        body: reason.trim() === '' ? {} : { reason: reason.trim() },
      })}
      onClose={onClose}
      names={['reason']}
      fields={(errorOf) => (
        <TextArea
          name="reason"
          label={text.reason}
          hint={text.reasonHint}
          value={reason}
          onChange={setReason}
          error={errorOf('reason')}
        />
      )}
    />
  )
}

interface SentLink {
  readonly enrollUrl: string
  readonly emailed: boolean
}

/** Actions without fields. Some return a link for the user. */
const PlainDialog = ({
  action,
  user,
  onClose,
}: ActionProps & { readonly action: Exclude<UserAction, 'edit' | 'roleChange' | 'suspend'> }) => {
  const text = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const [link, setLink] = useState<SentLink | null>(null)
  const path = `/users/${user.id}`
  const plain: Readonly<
    Record<typeof action, { intro: string; done: string; command: Command; dangerous?: true }>
  > = {
    invite: {
      intro: text.inviteEffect,
      done: text.invitedAgain,
      command: { method: 'POST', path: `${path}/invite` },
    },
    unlock: {
      intro: text.unlockEffect,
      done: text.unlocked,
      command: { method: 'POST', path: `${path}/unlock` },
    },
    resetMethods: {
      intro: text.resetEffect,
      done: text.reset,
      command: { method: 'POST', path: `${path}/reset-methods` },
      dangerous: true,
    },
    revokeSessions: {
      intro: text.revokeEffect,
      done: text.sessionsEnded,
      command: { method: 'POST', path: `${path}/sessions/revoke` },
      dangerous: true,
    },
    compromised: {
      intro: text.compromisedEffect,
      done: text.compromiseConfirmed,
      command: { method: 'POST', path: `${path}/confirm-compromised`, body: {} },
      dangerous: true,
    },
    reactivate: {
      intro: text.reactivateEffect,
      done: text.reactivated,
      command: { method: 'POST', path: `${path}/reactivate` },
    },
    remove: {
      intro: text.removeEffect,
      done: text.removed,
      command: { method: 'DELETE', path },
      dangerous: true,
    },
    erase: {
      intro: text.eraseEffect,
      done: text.erased,
      command: { method: 'POST', path: `${path}/erase` },
      dangerous: true,
    },
  }
  const { intro, done, command, dangerous = false } = plain[action]
  if (link !== null)
    return (
      <Dialog title={text.linkTitle} onClose={onClose}>
        <p>{link.emailed ? text.emailed : text.notEmailed}</p>
        <Copy label={text.link} value={link.enrollUrl} once />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            {common.close}
          </Button>
        </div>
      </Dialog>
    )
  return (
    <CommandDialog<Partial<SentLink> | undefined>
      title={`${text[action]}: ${user.name}`}
      intro={<p>{intro}</p>}
      confirm={text[action]}
      dangerous={dangerous}
      done={done}
      command={() => command}
      onClose={onClose}
      onDone={(result) => {
        if (result?.enrollUrl === undefined) onClose()
        else setLink({ enrollUrl: result.enrollUrl, emailed: result.emailed === true })
      }}
    />
  )
}
