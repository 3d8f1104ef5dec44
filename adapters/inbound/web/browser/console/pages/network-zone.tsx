import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { countryName } from '../country-name.ts'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { NetworkZoneRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { zoneBody, zoneFieldNames, ZoneFields, zoneValuesOf } from './network-zone-fields.tsx'
import { ZoneBadges } from './network-zones.tsx'
import { useDeleteZone } from './network-zone-commands.ts'
import { useNetworkZonesTexts } from './network-zones-texts.ts'

export const NetworkZonePage = ({ id }: { readonly id: string }) => {
  const zone = useRecord<NetworkZoneRecord>(`/network-zones/${id}`)
  return <LoadedPage query={zone}>{(data) => <LoadedZone zone={data} />}</LoadedPage>
}

const listOf = (names: readonly string[]) =>
  names.length === 0 ? null : (
    <ul>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )

const LoadedZone = ({ zone }: { readonly zone: NetworkZoneRecord }) => {
  const text = useNetworkZonesTexts()
  const { locale } = useReader()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [action, setAction] = useState<'edit' | 'delete' | null>(null)
  const close = (): void => setAction(null)
  return (
    <>
      <PageHead
        title={zone.name}
        badge={<ZoneBadges zone={zone} />}
        lead={text.types[zone.type]}
        actions={
          mayWrite && (
            <>
              <Button small onClick={() => setAction('edit')}>
                {text.edit}
              </Button>
              <Button small look="danger" onClick={() => setAction('delete')}>
                {text.delete}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={zone.name}
        path={`/console/network-zones/${zone.id}`}
        tabs={[
          {
            name: 'overview',
            label: text.overview,
            body: () => (
              <Section title={text.overview}>
                <Facts
                  facts={[
                    [text.cidrs, listOf(zone.cidrs)],
                    [text.countries, listOf(zone.countries.map((code) => countryName(code, locale)))],
                    [text.asns, listOf(zone.asns.map((asn) => `AS${String(asn)}`))],
                    [text.blocked, zone.blocked ? text.blockedHint : null],
                    [text.trusted, zone.trusted ? text.trustedHint : null],
                    [text.anonymizing, zone.anonymizers ? text.anonymizersHint : null],
                    [
                      text.usedBy,
                      zone.usedBy.length === 0 ? (
                        text.unused
                      ) : (
                        <ul key="usedBy">
                          {zone.usedBy.map(({ policyId, name }) => (
                            <li key={policyId}>
                              <PageLink to={`/console/policies/${policyId}`}>{name}</PageLink>
                            </li>
                          ))}
                        </ul>
                      ),
                    ],
                  ]}
                />
              </Section>
            ),
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'network_zone', targetId: zone.id }} />
            ),
          },
        ]}
      />
      {action === 'edit' && <EditZone zone={zone} onClose={close} />}
      {action === 'delete' && <DeleteZone zone={zone} onClose={close} />}
    </>
  )
}

interface ActionProps {
  readonly zone: NetworkZoneRecord
  readonly onClose: () => void
}

const EditZone = ({ zone, onClose }: ActionProps) => {
  const text = useNetworkZonesTexts()
  const common = useTexts(commonTexts)
  const [values, setValues] = useState(() => zoneValuesOf(zone))
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/network-zones/${zone.id}`,
        body: zoneBody(values),
        ifVersion: zone.version,
      })}
      override={{ field: 'force', confirm: text.anyway }}
      onClose={onClose}
      names={zoneFieldNames}
      fields={(errorOf) => <ZoneFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const DeleteZone = ({ zone, onClose }: ActionProps) => {
  const text = useNetworkZonesTexts()
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={useDeleteZone()}
      item={zone}
      title={text.deleteTitle(zone.name)}
      done={text.deleted(zone.name)}
      onClose={onClose}
      onDone={() => setLocation('/console/network-zones')}
    />
  )
}
