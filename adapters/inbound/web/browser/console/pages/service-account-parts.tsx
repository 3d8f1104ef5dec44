/** What the pages about service accounts and about API keys share. */
import { holdsAll } from '../../../../../../domain/roles.ts'
import { rolesToManage } from '../../../../../../domain/service-account/rights.ts'
import { useList, useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { useMoment } from '../moment.tsx'
import type { ApiKeyRecord, ServiceAccountRecord } from '../records.ts'
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

type Managed = Pick<ServiceAccountRecord, 'roles' | 'sshHostNames' | 'status'>

/** Returns whether the user may change a service account and its keys: only with all roles that this requires. */
const useManages = (): ((account: Managed) => boolean) => {
  const { at } = useMoment()
  const { roleKeys } = useSession()
  const isAdministrator = useMay('user_admin')
  return (account) =>
    isAdministrator &&
    at === null &&
    account.status !== 'deleted' &&
    holdsAll(roleKeys, rolesToManage(account))
}

/** @param account undefined while it is read */
export const useMayManage = (account: Managed | undefined): boolean => {
  const manages = useManages()
  return account !== undefined && manages(account)
}

const MOST_ACCOUNTS = '200'

/**
 * Returns whether the user may change the keys of an account. Of many accounts only the first are known: then the API
 * decides about the others.
 * @param account whose keys these are; undefined for the keys of all
 */
export const useManagesKeys = (
  account: ServiceAccountRecord | undefined,
): ((key: Pick<ApiKeyRecord, 'serviceAccountId'>) => boolean) => {
  const manages = useManages()
  const isAdministrator = useMay('user_admin')
  const all = account === undefined && isAdministrator
  const { data } = useList<ServiceAccountRecord>('/service-accounts', { limit: MOST_ACCOUNTS }, false, all)
  if (account !== undefined) return () => manages(account)
  return ({ serviceAccountId }) => {
    if (data === undefined) return false
    const found = data.items.find(({ id }) => id === serviceAccountId)
    return found === undefined ? data.next !== null : manages(found)
  }
}
