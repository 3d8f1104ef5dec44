/** The dialogs of a service account: its fields, its roles, its end. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { roleKeys, roles, type Role } from '../../../../../../domain/roles.ts'
import { useRecord } from '../api.ts'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Checkbox, FieldGroup, TextArea } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import type { ServiceAccountRecord, UserRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import {
  accountChangesOf,
  accountFieldNames,
  ServiceAccountFields,
  type AccountValues,
} from './service-account-fields.tsx'
import { useServiceAccountActions } from './service-account-commands.ts'
import { serviceAccountsTexts } from './service-accounts-texts.ts'

export type ServiceAccountAction =
  | 'edit'
  | 'changeRoles'
  | 'changeHostNames'
  | 'disable'
  | 'enable'
  | 'delete'

interface ActionProps {
  readonly account: ServiceAccountRecord
  readonly onClose: () => void
}

export const ServiceAccountDialog = ({
  action,
  ...props
}: ActionProps & { readonly action: ServiceAccountAction }) => {
  switch (action) {
    case 'edit':
      return <EditAccount {...props} />
    case 'changeRoles':
      return <ChangeRoles {...props} />
    case 'changeHostNames':
      return <ChangeHostNames {...props} />
    case 'delete':
      return <DeleteAccount {...props} />
    default:
      return <SwitchAccount {...props} action={action} />
  }
}

const EditAccount = (props: ActionProps) => {
  // The dialog stays the same one when its own command changes the contact person.
  const [ownerId] = useState(props.account.ownerId)
  return ownerId === null ? (
    <EditFields {...props} owner={null} />
  ) : (
    <EditOwnedAccount {...props} ownerId={ownerId} />
  )
}

/** Reads the name of the contact person first, because the record has only the id. */
const EditOwnedAccount = ({ ownerId, ...props }: ActionProps & { readonly ownerId: string }) => {
  const { data, error } = useRecord<UserRecord>(`/users/${ownerId}`)
  if (data === undefined && error === null) return null
  return <EditFields {...props} owner={{ id: ownerId, name: data?.name ?? ownerId }} />
}

const EditFields = ({ account, owner, onClose }: ActionProps & Pick<AccountValues, 'owner'>) => {
  const text = useTexts(serviceAccountsTexts)
  const common = useTexts(commonTexts)
  const [values, setValues] = useState<AccountValues>({
    name: account.name,
    description: account.description ?? '',
    owner,
  })
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/service-accounts/${account.id}`,
        body: accountChangesOf(values, account),
      })}
      onClose={onClose}
      names={accountFieldNames}
      fields={(errorOf) => <ServiceAccountFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const ChangeRoles = ({ account, onClose }: ActionProps) => {
  const text = useTexts(serviceAccountsTexts)
  const common = useTexts(commonTexts)
  const [chosen, setChosen] = useState<readonly Role[]>(account.roles)
  const adds = chosen.some((role) => !account.roles.includes(role))
  return (
    <CommandDialog
      title={text.changeRoles}
      intro={<p>{text.changeRolesEffect}</p>}
      confirm={common.save}
      dangerous={adds && account.keyCount > 0}
      done={text.rolesChanged}
      command={() => ({
        method: 'PUT',
        path: `/service-accounts/${account.id}/roles`,
        body: { roles: chosen },
        ifVersion: account.version,
      })}
      onClose={onClose}
      fields={() => (
        <FieldGroup label={text.roles}>
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
        </FieldGroup>
      )}
    />
  )
}

const ChangeHostNames = ({ account, onClose }: ActionProps) => {
  const text = useTexts(serviceAccountsTexts)
  const common = useTexts(commonTexts)
  const [typed, setTyped] = useState(account.sshHostNames.join('\n'))
  return (
    <CommandDialog
      title={text.changeHostNames}
      intro={<p>{text.changeHostNamesEffect}</p>}
      confirm={common.save}
      dangerous={account.sshHostNames.length === 0 && account.keyCount > 0}
      done={text.hostNamesChanged}
      command={() => ({
        method: 'PUT',
        path: `/service-accounts/${account.id}/ssh-host-names`,
        body: { hostNames: linesOf(typed) },
        ifVersion: account.version,
      })}
      onClose={onClose}
      names={['hostNames']}
      fields={(errorOf) => (
        <TextArea
          name="hostNames"
          label={text.sshHostNames}
          hint={text.hostNamesHint}
          rows={5}
          value={typed}
          onChange={setTyped}
          error={errorOf('hostNames')}
        />
      )}
    />
  )
}

const SwitchAccount = ({
  action,
  account,
  onClose,
}: ActionProps & { readonly action: 'disable' | 'enable' }) => {
  const text = useTexts(serviceAccountsTexts)
  return (
    <ActionDialog
      action={useServiceAccountActions()[action]}
      item={account}
      title={`${text[action]}: ${account.name}`}
      done={action === 'enable' ? text.enabledDone(account.name) : text.disabledDone(account.name)}
      onClose={onClose}
    />
  )
}

const DeleteAccount = ({ account: { id, name }, onClose }: ActionProps) => {
  const text = useTexts(serviceAccountsTexts)
  const [, setLocation] = useLocation()
  return (
    <CommandDialog
      title={`${text.delete}: ${name}`}
      intro={<p>{text.deleteEffect}</p>}
      confirm={text.delete}
      dangerous
      done={text.deletedDone(name)}
      command={() => ({ method: 'DELETE', path: `/service-accounts/${id}` })}
      onClose={onClose}
      onDone={() => setLocation('/console/service-accounts')}
    />
  )
}
