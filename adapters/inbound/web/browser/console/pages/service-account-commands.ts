/** Enabling and disabling a service account, alone or with others. */
import { holdsAll } from '../../../../../../domain/roles.ts'
import { rolesToManage } from '../../../../../../domain/service-account/rights.ts'
import type { RecordAction } from '../kit/record-action.ts'
import type { ServiceAccountRecord } from '../records.ts'
import { useSession } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { serviceAccountsTexts } from './service-accounts-texts.ts'

export const useServiceAccountActions = (): Readonly<
  Record<'enable' | 'disable', RecordAction<ServiceAccountRecord>>
> => {
  const text = useTexts(serviceAccountsTexts)
  const { roleKeys } = useSession()
  const of = (name: 'enable' | 'disable'): RecordAction<ServiceAccountRecord> => ({
    label: text[name],
    roles: ['user_admin'],
    // An account with further roles needs an administrator who has them too.
    applies: (account) =>
      account.status === (name === 'enable' ? 'disabled' : 'active') &&
      holdsAll(roleKeys, rolesToManage(account)),
    dangerous: name === 'disable',
    effect: name === 'enable' ? text.enableEffect : text.disableEffect,
    command: ({ id }) => ({ method: 'POST', path: `/service-accounts/${id}/${name}` }),
  })
  return { enable: of('enable'), disable: of('disable') }
}
