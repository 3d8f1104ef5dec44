import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { DomainRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { useDomainActions } from './domain-commands.ts'
import { useDomainsTexts } from './domains-texts.ts'

const tones: Readonly<Record<DomainRecord['status'], Tone>> = {
  pending: 'neutral',
  verified: 'good',
  failed: 'bad',
}

/** A verified domain without its record is a warning. */
export const DomainBadge = ({ domain }: { readonly domain: DomainRecord }) => {
  const text = useDomainsTexts()
  return (
    <Badge tone={domain.missingSince === null ? tones[domain.status] : 'warn'}>
      {text.statuses[domain.status]}
    </Badge>
  )
}

export const DomainsPage = () => {
  const text = useDomainsTexts()
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const { verify, remove } = useDomainActions()
  const [adding, setAdding] = useState(false)
  const columns: readonly Column<DomainRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/domains/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'status',
      label: text.status,
      cell: (domain) => <DomainBadge domain={domain} />,
      text: ({ status }) => status,
    },
    {
      name: 'lastCheckedAt',
      label: text.lastCheckedAt,
      cell: ({ lastCheckedAt }) =>
        lastCheckedAt === null ? text.never : <Time value={lastCheckedAt} relative />,
      text: ({ lastCheckedAt }) => lastCheckedAt ?? '',
    },
  ]
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setAdding(true)}>
              {text.add}
            </Button>
          )
        }
      />
      <RecordList<DomainRecord>
        path="/domains"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        empty={text.empty}
        bulk={{ counted: text.counted, actions: [verify, remove] }}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: Object.entries(text.statuses).map(([value, label]) => ({ value, label })),
          },
        ]}
      />
      {adding && <AddDomain onClose={() => setAdding(false)} />}
    </>
  )
}

const AddDomain = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useDomainsTexts()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  return (
    <CommandDialog<DomainRecord>
      title={text.add}
      intro={<p>{text.addIntro}</p>}
      confirm={text.add}
      names={['name']}
      command={() => ({ method: 'POST', path: '/domains', body: { name } })}
      onClose={onClose}
      onDone={({ id }) => navigate(`/console/domains/${id}`)}
      fields={(errorOf) => (
        <TextField
          name="name"
          label={text.name}
          hint={text.nameHint}
          value={name}
          onChange={setName}
          error={errorOf('name')}
        />
      )}
    />
  )
}
