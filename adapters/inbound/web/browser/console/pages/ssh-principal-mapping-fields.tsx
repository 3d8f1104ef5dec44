/** The form of an SSH principal mapping. */
import { sshExtensions, type SshExtension } from '../../../../../../domain/ssh-principal-mapping/events.ts'
import type { FieldError } from '../kit/command-dialog.tsx'
import { Checkbox, FieldGroup, TextArea, TextField } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import { SearchSelect } from '../kit/search-select.tsx'
import type { SshPrincipalMappingRecord } from '../records.ts'
import { useSshTexts } from './ssh-texts.ts'

interface Named {
  readonly id: string
  readonly name: string
}

export interface MappingValues {
  readonly group: Named | null
  /** As typed: one per line */
  readonly principals: string
  /** As typed, in minutes */
  readonly validity: string
  readonly sources: string
  readonly extensions: readonly SshExtension[]
}

export const noMapping: MappingValues = {
  group: null,
  principals: '',
  validity: '',
  sources: '',
  extensions: ['permit-pty', 'permit-port-forwarding'],
}

export const mappingFieldNames = [
  'groupId',
  'principals',
  'maxValiditySeconds',
  'sourceAddresses',
  'extensions',
] as const

export const mappingValuesOf = (mapping: SshPrincipalMappingRecord): MappingValues => ({
  group: { id: mapping.groupId, name: mapping.groupName },
  principals: mapping.principals.join('\n'),
  validity: mapping.maxValiditySeconds === null ? '' : String(mapping.maxValiditySeconds / 60),
  sources: mapping.sourceAddresses.join('\n'),
  extensions: mapping.extensions,
})

/** Returns what is sent. */
export const mappingBody = ({ group, principals, validity, sources, extensions }: MappingValues) => ({
  groupId: group?.id,
  principals: linesOf(principals),
  maxValiditySeconds: validity.trim() === '' ? null : Math.round(Number(validity) * 60),
  sourceAddresses: linesOf(sources),
  extensions,
})

export const MappingFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: MappingValues
  readonly onChange: (values: MappingValues) => void
  readonly errorOf: FieldError
}) => {
  const text = useSshTexts()
  return (
    <>
      <SearchSelect<Named>
        name="groupId"
        label={text.group}
        path="/groups"
        value={values.group}
        none={text.chooseGroup}
        error={errorOf('groupId')}
        onChange={(group) => onChange({ ...values, group })}
      />
      <TextArea
        name="principals"
        label={text.principals}
        hint={text.principalsHint}
        rows={4}
        value={values.principals}
        onChange={(principals) => onChange({ ...values, principals })}
        error={errorOf('principals')}
      />
      <TextField
        name="maxValiditySeconds"
        label={text.validity}
        hint={text.validityHint}
        value={values.validity}
        onChange={(validity) => onChange({ ...values, validity })}
        error={errorOf('maxValiditySeconds')}
      />
      <TextArea
        name="sourceAddresses"
        label={text.sources}
        hint={text.sourcesHint}
        rows={3}
        value={values.sources}
        onChange={(sources) => onChange({ ...values, sources })}
        error={errorOf('sourceAddresses')}
      />
      <FieldGroup label={text.extensions}>
        {sshExtensions.map((extension) => (
          <Checkbox
            key={extension}
            label={text.extensionNames[extension]}
            checked={values.extensions.includes(extension)}
            onChange={(on) =>
              onChange({
                ...values,
                extensions: sshExtensions.filter((each) =>
                  each === extension ? on : values.extensions.includes(each),
                ),
              })
            }
          />
        ))}
      </FieldGroup>
    </>
  )
}
