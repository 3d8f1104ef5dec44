import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { Copy } from '../kit/copy.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { DomainRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useDomainActions } from './domain-commands.ts'
import { DomainBadge } from './domains.tsx'
import { useDomainsTexts } from './domains-texts.ts'

export const DomainPage = ({ id }: { readonly id: string }) => {
  const domain = useRecord<DomainRecord>(`/domains/${id}`)
  return <LoadedPage query={domain}>{(data) => <LoadedDomain domain={data} />}</LoadedPage>
}

const LoadedDomain = ({ domain }: { readonly domain: DomainRecord }) => {
  const text = useDomainsTexts()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const { verify, remove } = useDomainActions()
  const [action, setAction] = useState<'verify' | 'remove' | null>(null)
  const [, navigate] = useLocation()
  const close = (): void => setAction(null)
  const { id, name } = domain
  return (
    <>
      <PageHead
        title={name}
        badge={<DomainBadge domain={domain} />}
        lead={domain.missingSince === null ? undefined : text.missingHint}
        actions={
          mayWrite && (
            <>
              <Button small look="primary" onClick={() => setAction('verify')}>
                {text.verify}
              </Button>
              <Button small look="danger" onClick={() => setAction('remove')}>
                {text.remove}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={name}
        path={`/console/domains/${id}`}
        tabs={[
          { name: 'overview', label: text.overview, body: () => <Overview domain={domain} /> },
          {
            name: 'history',
            label: text.history,
            body: () => <AuditTable path="/audit" fixed={{ targetType: 'domain', targetId: id }} />,
          },
        ]}
      />
      {action === 'verify' && (
        <ActionDialog
          action={verify}
          item={domain}
          title={`${text.verify}: ${name}`}
          done={text.verified(name)}
          onClose={close}
        />
      )}
      {action === 'remove' && (
        <ActionDialog
          action={remove}
          item={domain}
          title={`${text.remove}: ${name}`}
          done={text.removed(name)}
          onClose={close}
          onDone={() => navigate('/console/domains')}
        />
      )}
    </>
  )
}

const listOf = (values: readonly string[]) => (
  <ul>
    {values.map((value, at) => (
      <li key={at}>
        <code>{value}</code>
      </li>
    ))}
  </ul>
)

const Overview = ({ domain }: { readonly domain: DomainRecord }) => {
  const text = useDomainsTexts()
  const { id, recordName, recordType, recordValue, verifiedAt, missingSince, lastCheckedAt, foundInstead } =
    domain
  const isChecked = lastCheckedAt !== null
  const isFound = domain.status === 'verified' && missingSince === null
  return (
    <>
      <Section title={text.record} hint={text.recordHint}>
        <Copy label={text.recordName} value={recordName} />
        <Copy label={text.recordType} value={recordType} />
        <Copy label={text.recordValue} value={recordValue} />
      </Section>
      <Section title={text.state}>
        <Facts
          facts={[
            [text.verifiedAt, verifiedAt === null ? null : <Time key="verified" value={verifiedAt} />],
            [text.missingSince, missingSince === null ? null : <Time key="missing" value={missingSince} />],
            [text.lastCheckedAt, isChecked ? <Time key="checked" value={lastCheckedAt} /> : text.never],
            [
              text.foundInstead,
              isChecked && !isFound
                ? foundInstead.length === 0
                  ? text.nothing
                  : listOf(foundInstead)
                : null,
            ],
            [text.domainId, <code key="id">{id}</code>],
          ]}
        />
      </Section>
    </>
  )
}
