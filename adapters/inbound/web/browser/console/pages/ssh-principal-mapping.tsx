import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { NamedLink } from '../record-links.tsx'
import type { SshPrincipalMappingRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import {
  mappingBody,
  mappingFieldNames,
  MappingFields,
  mappingValuesOf,
} from './ssh-principal-mapping-fields.tsx'
import { useDeleteMapping } from './ssh-principal-mapping-commands.ts'
import { useSshTexts } from './ssh-texts.ts'

export const SshPrincipalMappingPage = ({ id }: { readonly id: string }) => {
  const mapping = useRecord<SshPrincipalMappingRecord>(`/ssh/principal-mappings/${id}`)
  return <LoadedPage query={mapping}>{(data) => <LoadedMapping mapping={data} />}</LoadedPage>
}

const LoadedMapping = ({ mapping }: { readonly mapping: SshPrincipalMappingRecord }) => {
  const text = useSshTexts()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [action, setAction] = useState<'edit' | 'delete' | null>(null)
  const close = (): void => setAction(null)
  const { maxValiditySeconds, sourceAddresses, extensions } = mapping
  return (
    <>
      <PageHead
        title={mapping.principals.join(', ')}
        lead={text.mapping}
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
      <Section title={text.overview}>
        <Facts
          facts={[
            [text.group, <NamedLink key="group" kind="groups" id={mapping.groupId} />],
            [text.principals, mapping.principals.join(', ')],
            [
              text.validity,
              maxValiditySeconds === null ? text.unlimited : text.minutes(maxValiditySeconds / 60),
            ],
            [text.sources, sourceAddresses.join(', ') || text.everywhere],
            [text.extensions, extensions.map((name) => text.extensionNames[name]).join(', ') || text.nothing],
            [text.changed, <Time key="changed" value={mapping.updatedAt} />],
          ]}
        />
      </Section>
      <Section title={text.history}>
        <AuditTable path="/audit" fixed={{ targetType: 'ssh_principal_mapping', targetId: mapping.id }} />
      </Section>
      {action === 'edit' && <EditMapping mapping={mapping} onClose={close} />}
      {action === 'delete' && <DeleteMapping mapping={mapping} onClose={close} />}
    </>
  )
}

interface ActionProps {
  readonly mapping: SshPrincipalMappingRecord
  readonly onClose: () => void
}

const EditMapping = ({ mapping, onClose }: ActionProps) => {
  const text = useSshTexts()
  const common = useTexts(commonTexts)
  const [values, setValues] = useState(() => mappingValuesOf(mapping))
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      check={() => (values.group === null ? { field: 'groupId', message: text.needsGroup } : null)}
      command={() => ({
        method: 'PATCH',
        path: `/ssh/principal-mappings/${mapping.id}`,
        body: mappingBody(values),
        ifVersion: mapping.version,
      })}
      onClose={onClose}
      names={mappingFieldNames}
      fields={(errorOf) => <MappingFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const DeleteMapping = ({ mapping, onClose }: ActionProps) => {
  const text = useSshTexts()
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={useDeleteMapping()}
      item={mapping}
      title={text.deleteTitle(mapping.groupName)}
      done={text.deleted}
      onClose={onClose}
      onDone={() => setLocation('/console/ssh-principal-mappings')}
    />
  )
}
