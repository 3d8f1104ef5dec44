/** Links to records of which only the id is known; they show the name as soon as it is read. */
import { useRecord } from './api.ts'
import { PageLink } from './kit/link.tsx'
import type { RiskEventRecord } from './records.ts'
import { riskTypeTexts } from './risk-texts.ts'
import { useTexts } from './text.tsx'

type Kind = 'users' | 'applications' | 'policies' | 'groups' | 'network-zones' | 'devices'

export const NamedLink = ({ kind, id }: { readonly kind: Kind; readonly id: string }) => {
  const { data } = useRecord<{ readonly name: string }>(`/${kind}/${id}`)
  return <PageLink to={`/console/${kind}/${id}`}>{data?.name ?? <code>{id}</code>}</PageLink>
}

export const UserLink = ({ id }: { readonly id: string }) => <NamedLink kind="users" id={id} />

export const ApplicationLink = ({ id }: { readonly id: string }) => <NamedLink kind="applications" id={id} />

export const DeviceLink = ({ id }: { readonly id: string }) => <NamedLink kind="devices" id={id} />

export const RiskEventLink = ({ id }: { readonly id: string }) => {
  const types = useTexts(riskTypeTexts)
  const { data } = useRecord<RiskEventRecord>(`/risk-events/${id}`)
  return (
    <PageLink to={`/console/risk-events/${id}`}>
      {data === undefined ? <code>{id}</code> : types[data.type]}
    </PageLink>
  )
}
