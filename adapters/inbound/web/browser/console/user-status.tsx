import { Badge, type Tone } from './kit/badge.tsx'
import type { ListedUserRecord } from './records.ts'
import { texts, useTexts } from './text.tsx'

type Status = ListedUserRecord['status']

export const userStatusTexts = texts({
  en: { invited: 'Invited', active: 'Active', suspended: 'Suspended', deleted: 'Deleted' } satisfies Record<
    Status,
    string
  >,
  de: { invited: 'Eingeladen', active: 'Aktiv', suspended: 'Gesperrt', deleted: 'Gelöscht' },
})

const tones: Readonly<Record<Status, Tone>> = {
  invited: 'neutral',
  active: 'good',
  suspended: 'warn',
  deleted: 'bad',
}

export const UserStatus = ({ status }: { readonly status: Status }) => {
  const text = useTexts(userStatusTexts)
  return <Badge tone={tones[status]}>{text[status]}</Badge>
}
