/** What the pages about service accounts and about API keys share. */
import { holdsAll } from '../../../../../../domain/roles.ts'
import { rolesToManage } from '../../../../../../domain/service-account/rights.ts'
import { useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { useMoment } from '../moment.tsx'
import type { ServiceAccountRecord } from '../records.ts'
import { useMay, useSession } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { serviceAccountsTexts } from './service-accounts-texts.ts'

const tones = { active: 'good', disabled: 'warn', deleted: 'bad' } as const

export const ServiceAccountStatus = ({ status }: Pick<ServiceAccountRecord, 'status'>) => {
  const text = useTexts(serviceAccountsTexts)
  return <Badge tone={tones[status]}>{text[status]}</Badge>
}

/** Shows the name as soon as it is read. */
export const ServiceAccountLink = ({ id }: { readonly id: string }) => {
  const { data } = useRecord<ServiceAccountRecord>(`/service-accounts/${id}`)
  return <PageLink to={`/console/service-accounts/${id}`}>{data?.name ?? <code>{id}</code>}</PageLink>
}

/** Whether the user may change a service account and its keys: only with all roles that this requires. */
export const useMayManage = (
  account: Pick<ServiceAccountRecord, 'roles' | 'sshHostNames' | 'status'> | undefined,
): boolean => {
  const { at } = useMoment()
  const { roleKeys } = useSession()
  const isAdministrator = useMay('user_admin')
  if (!isAdministrator || at !== null || account === undefined) return false
  return account.status !== 'deleted' && holdsAll(roleKeys, rolesToManage(account))
}
