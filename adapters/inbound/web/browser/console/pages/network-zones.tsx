import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCommand } from '../api.ts'
import { countryName } from '../country-name.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextField } from '../kit/field.tsx'
import kitStyles from '../kit/kit.module.css'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Problem } from '../kit/problem.tsx'
import { Facts, PageHead, Section } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { NetworkLookupRecord, NetworkZoneRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { noZone, zoneBody, zoneFieldNames, ZoneFields } from './network-zone-fields.tsx'
import { useDeleteZone } from './network-zone-commands.ts'
import { useNetworkZonesTexts } from './network-zones-texts.ts'

const SHOWN = 3

/** The first networks of a zone. */
const networksOf = ({ cidrs, countries, asns }: NetworkZoneRecord, locale: string): string => {
  const names = countries.map((code) => countryName(code, locale))
  const all = [...cidrs, ...names, ...asns.map((asn) => `AS${String(asn)}`)]
  return all.slice(0, SHOWN).join(', ') + (all.length > SHOWN ? ' …' : '')
}

export const ZoneBadges = ({ zone }: { readonly zone: NetworkZoneRecord }) => {
  const text = useNetworkZonesTexts()
  return (
    <>
      {zone.blocked && <Badge tone="bad">{text.blocked}</Badge>}{' '}
      {zone.trusted && <Badge tone="good">{text.trusted}</Badge>}{' '}
      {zone.anonymizers && <Badge tone="warn">{text.anonymizing}</Badge>}
    </>
  )
}

export const NetworkZonesPage = () => {
  const text = useNetworkZonesTexts()
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const { locale } = useReader()
  const remove = useDeleteZone()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<NetworkZoneRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: (zone) => (
        <span>
          <PageLink to={`/console/network-zones/${zone.id}`}>{zone.name}</PageLink> <ZoneBadges zone={zone} />
        </span>
      ),
      text: ({ name }) => name,
    },
    { name: 'type', label: text.type, cell: ({ type }) => text.types[type], text: ({ type }) => type },
    {
      name: 'networks',
      label: text.networks,
      cell: (zone) => networksOf(zone, locale),
      text: (zone) => networksOf(zone, locale),
    },
    {
      name: 'usedBy',
      label: text.usedBy,
      cell: ({ usedBy }) => usedBy.map(({ name }) => name).join(', ') || text.unused,
      text: ({ usedBy }) => usedBy.map(({ name }) => name).join(', '),
    },
  ]
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          )
        }
      />
      <RecordList<NetworkZoneRecord>
        path="/network-zones"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        empty={text.empty}
        bulk={{ counted: text.counted, actions: [remove] }}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'type',
            label: text.type,
            options: Object.entries(text.types).map(([value, label]) => ({ value, label })),
          },
        ]}
      />
      <Lookup />
      {creating && <CreateZone onClose={() => setCreating(false)} />}
    </>
  )
}

const Lookup = () => {
  const text = useNetworkZonesTexts()
  const { locale } = useReader()
  const [ip, setIp] = useState('')
  const { mutate, data, error, isPending } = useCommand<NetworkLookupRecord>()
  return (
    <Section title={text.lookup}>
      <form
        className={kitStyles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending) mutate({ method: 'POST', path: '/network-zones/lookup', body: { ip: ip.trim() } })
        }}
      >
        <TextField name="ip" label={text.address} value={ip} onChange={setIp} />
        <Button type="submit" busy={isPending}>
          {text.look}
        </Button>
      </form>
      {error !== null && <Problem error={error} />}
      <div aria-live="polite">
        {data !== undefined && (
          <Facts
            facts={[
              [text.country, data.country === null ? text.unknown : countryName(data.country, locale)],
              [text.asn, data.asn === null ? text.unknown : `AS${String(data.asn)}`],
              [
                text.title,
                data.zones.length === 0 ? (
                  text.inNone
                ) : (
                  <ul key="zones">
                    {data.zones.map(({ id, name, blocked }) => (
                      <li key={id}>
                        <PageLink to={`/console/network-zones/${id}`}>{name}</PageLink>{' '}
                        {blocked && <Badge tone="bad">{text.blocked}</Badge>}
                      </li>
                    ))}
                  </ul>
                ),
              ],
            ]}
          />
        )}
      </div>
    </Section>
  )
}

const CreateZone = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useNetworkZonesTexts()
  const [, setLocation] = useLocation()
  const [values, setValues] = useState(noZone)
  return (
    <CommandDialog<NetworkZoneRecord>
      title={text.create}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/network-zones', body: zoneBody(values) })}
      override={{ field: 'force', confirm: text.anyway }}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/network-zones/${id}`)}
      names={zoneFieldNames}
      fields={(errorOf) => <ZoneFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
