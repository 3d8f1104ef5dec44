/** The settings of an application, in parts that are edited one at a time. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { TextArea } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { pageTitles } from '../page-titles.ts'
import type { ApplicationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { ApplicationLogo } from './application-logo.tsx'
import {
  addressFields,
  attributeFields,
  generalFields,
  SettingsDialog,
  samlFields,
  tokenFields,
  type SettingField,
} from './application-settings-dialog.tsx'
import { applicationTexts } from './application-texts.ts'

const partNames = ['general', 'addresses', 'tokens', 'samlSettings', 'attributes'] as const
type PartName = (typeof partNames)[number]

const fieldsOf: Readonly<Record<PartName, (application: ApplicationRecord) => readonly SettingField[]>> = {
  general: generalFields,
  addresses: addressFields,
  tokens: tokenFields,
  samlSettings: samlFields,
  attributes: attributeFields,
}

export const ApplicationSettings = ({
  application,
  mayWrite,
}: {
  readonly application: ApplicationRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(applicationTexts)
  const titles = useTexts(pageTitles)
  const [editing, setEditing] = useState<PartName | 'metadata' | null>(null)
  const shown = (value: SettingField['value']): string => {
    if (typeof value === 'boolean') return value ? text.yes : text.no
    return typeof value === 'object' ? value.join('\n') : value
  }
  const isEditable = mayWrite && !application.builtIn
  const parts = partNames
    .map((name) => ({ name, fields: fieldsOf[name](application) }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <>
      {parts.map(({ name, fields }) => (
        <Section
          key={name}
          title={text[name]}
          actions={
            isEditable && (
              <>
                {name === 'samlSettings' && (
                  <Button small onClick={() => setEditing('metadata')}>
                    {text.replaceMetadata}
                  </Button>
                )}
                <Button small onClick={() => setEditing(name)}>
                  {text.edit}
                  <span className="visually-hidden"> {text[name]}</span>
                </Button>
              </>
            )
          }
        >
          <Facts
            facts={[
              ...(name === 'general'
                ? ([
                    [text.applicationId, <code key="id">{application.id}</code>],
                    ...(application.protocol === 'oidc'
                      ? ([
                          [text.clientId, <code key="client">{application.clientId}</code>],
                          [text.grantTypes, application.grantTypes.join(', ')],
                        ] as const)
                      : []),
                  ] as const)
                : []),
              ...fields.map(
                ({ label, value, options }) =>
                  [
                    text[label],
                    options === undefined
                      ? shown(value)
                      : text[options.find((option) => option === value) ?? options[0] ?? label],
                  ] as const,
              ),
              ...(name === 'general'
                ? ([
                    [
                      titles.provisioning,
                      application.builtIn ? null : (
                        <PageLink key="provisioning" to={`/console/provisioning/${application.id}`}>
                          {titles.applicationProvisioning}
                        </PageLink>
                      ),
                    ],
                    [text.created, <Time key="created" value={application.createdAt} />],
                    [text.updated, <Time key="updated" value={application.updatedAt} />],
                  ] as const)
                : []),
            ]}
          />
          {name === 'general' && <ApplicationLogo application={application} mayWrite={isEditable} />}
        </Section>
      ))}
      {editing === 'metadata' && (
        <MetadataDialog applicationId={application.id} onClose={() => setEditing(null)} />
      )}
      {editing !== null && editing !== 'metadata' && (
        <SettingsDialog
          title={text[editing]}
          applicationId={application.id}
          fields={fieldsOf[editing](application)}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

const MetadataDialog = ({
  applicationId,
  onClose,
}: {
  readonly applicationId: string
  readonly onClose: () => void
}) => {
  const text = useTexts(applicationTexts)
  const [metadata, setMetadata] = useState('')
  return (
    <CommandDialog
      title={text.replaceMetadata}
      intro={<p>{text.replaceMetadataEffect}</p>}
      confirm={text.replaceMetadata}
      dangerous
      done={text.saved}
      command={() => ({
        method: 'PUT',
        path: `/applications/${applicationId}/saml`,
        body: { metadataXml: metadata },
      })}
      onClose={onClose}
      names={['metadataXml']}
      fields={(errorOf) => (
        <TextArea
          name="metadataXml"
          label={text.metadata}
          rows={8}
          value={metadata}
          onChange={setMetadata}
          error={errorOf('metadataXml')}
        />
      )}
    />
  )
}
