/** Links to records of which only the id is known; they show the name as soon as it is read. */
import { useRecord } from './api.ts'
import { PageLink } from './kit/link.tsx'

type Kind = 'users' | 'applications' | 'policies' | 'groups' | 'network-zones'

export const NamedLink = ({ kind, id }: { readonly kind: Kind; readonly id: string }) => {
  const { data } = useRecord<{ readonly name: string }>(`/${kind}/${id}`)
  return <PageLink to={`/console/${kind}/${id}`}>{data?.name ?? <code>{id}</code>}</PageLink>
}

export const UserLink = ({ id }: { readonly id: string }) => <NamedLink kind="users" id={id} />

export const ApplicationLink = ({ id }: { readonly id: string }) => <NamedLink kind="applications" id={id} />
