import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { SshPrincipalMappingRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { mappingBody, mappingFieldNames, MappingFields, noMapping } from './ssh-principal-mapping-fields.tsx'
import { useDeleteMapping } from './ssh-principal-mapping-commands.ts'
import { useSshTexts } from './ssh-texts.ts'

const PATH = '/console/ssh-principal-mappings'

export const SshPrincipalMappingsPage = () => {
  const text = useSshTexts()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const remove = useDeleteMapping()
  const [creating, setCreating] = useState(false)
  const validityOf = ({ maxValiditySeconds }: SshPrincipalMappingRecord): string =>
    maxValiditySeconds === null ? text.unlimited : text.minutes(maxValiditySeconds / 60)
  const columns: readonly Column<SshPrincipalMappingRecord>[] = [
    {
      name: 'group',
      label: text.group,
      cell: ({ id, groupName }) => <PageLink to={`${PATH}/${id}`}>{groupName}</PageLink>,
      text: ({ groupName }) => groupName,
    },
    {
      name: 'principals',
      label: text.principals,
      cell: ({ principals }) => principals.join(', '),
      text: ({ principals }) => principals.join(', '),
    },
    { name: 'validity', label: text.validity, cell: validityOf, text: validityOf },
    {
      name: 'sources',
      label: text.sources,
      cell: ({ sourceAddresses }) => sourceAddresses.join(', ') || text.everywhere,
      text: ({ sourceAddresses }) => sourceAddresses.join(', '),
    },
  ]
  return (
    <>
      <PageHead
        title={text.mappings}
        lead={text.mappingsLead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.map}
            </Button>
          )
        }
      />
      <RecordList<SshPrincipalMappingRecord>
        path="/ssh/principal-mappings"
        label={text.mappings}
        bulk={{ counted: text.countedMappings, actions: [remove] }}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ groupName }) => groupName}
        empty={text.noMappings}
      />
      {creating && <CreateMapping onClose={() => setCreating(false)} />}
    </>
  )
}

const CreateMapping = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useSshTexts()
  const [, setLocation] = useLocation()
  const [values, setValues] = useState(noMapping)
  return (
    <CommandDialog<SshPrincipalMappingRecord>
      title={text.map}
      confirm={text.map}
      done={text.mapped(values.group?.name ?? '')}
      check={() => (values.group === null ? { field: 'groupId', message: text.needsGroup } : null)}
      command={() => ({ method: 'POST', path: '/ssh/principal-mappings', body: mappingBody(values) })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`${PATH}/${id}`)}
      names={mappingFieldNames}
      fields={(errorOf) => <MappingFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
