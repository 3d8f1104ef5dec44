import type { FieldError } from '../kit/command-dialog.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import type { NetworkZoneRecord } from '../records.ts'
import { useNetworkZonesTexts } from './network-zones-texts.ts'

export interface ZoneValues {
  readonly name: string
  readonly type: NetworkZoneRecord['type']
  /** As typed: one per line */
  readonly items: string
  readonly anonymizers: boolean
  readonly blocked: boolean
  readonly trusted: boolean
}

export const noZone: ZoneValues = {
  ...{ name: '', type: 'ip', items: '' },
  ...{ anonymizers: false, blocked: false, trusted: false },
}

const listOf = { ip: 'cidrs', geo: 'countries', asn: 'asns' } as const

export const zoneFieldNames = ['name', 'cidrs', 'countries', 'asns', 'trusted'] as const

export const zoneValuesOf = (zone: NetworkZoneRecord): ZoneValues => ({
  ...{ name: zone.name, type: zone.type, items: zone[listOf[zone.type]].join('\n') },
  ...{ anonymizers: zone.anonymizers, blocked: zone.blocked, trusted: zone.trusted },
})

/** Returns what is sent. */
export const zoneBody = ({ items, name, ...rest }: ZoneValues) => {
  const lines = linesOf(items)
  const list = listOf[rest.type]
  return {
    ...rest,
    name: name.trim(),
    ...{ cidrs: [], countries: [], asns: [] },
    [list]: list === 'asns' ? lines.map(Number) : lines,
  }
}

export const ZoneFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: ZoneValues
  readonly onChange: (values: ZoneValues) => void
  readonly errorOf: FieldError
}) => {
  const text = useNetworkZonesTexts()
  const list = listOf[values.type]
  const hints = { cidrs: text.cidrsHint, countries: text.countriesHint, asns: text.asnsHint }
  return (
    <>
      <TextField
        name="name"
        label={text.name}
        value={values.name}
        onChange={(name) => onChange({ ...values, name })}
        error={errorOf('name')}
        required
        autoFocus
      />
      <Select
        name="type"
        label={text.type}
        value={values.type}
        options={Object.entries(text.types).map(([value, label]) => ({ value, label }))}
        onChange={(type) => onChange({ ...values, type: type as ZoneValues['type'] })}
      />
      <TextArea
        name={list}
        label={text[list]}
        hint={hints[list]}
        rows={6}
        value={values.items}
        onChange={(items) => onChange({ ...values, items })}
        error={errorOf(list)}
      />
      <Checkbox
        label={text.blocked}
        hint={text.blockedHint}
        checked={values.blocked}
        onChange={(blocked) => onChange({ ...values, blocked })}
      />
      <Checkbox
        label={text.trusted}
        hint={errorOf('trusted') ?? text.trustedHint}
        checked={values.trusted}
        onChange={(trusted) => onChange({ ...values, trusted })}
      />
      <Checkbox
        label={text.anonymizers}
        hint={text.anonymizersHint}
        checked={values.anonymizers}
        onChange={(anonymizers) => onChange({ ...values, anonymizers })}
      />
    </>
  )
}
