import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Select, TextArea, TextField } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import type { NamedRecord } from '../kit/records-field.tsx'
import type { CreatedApplicationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { GroupsField } from './application-groups-field.tsx'
import { applicationsTexts } from './applications-texts.ts'

const kinds = ['web', 'spa', 'native', 'service', 'saml'] as const
type Kind = (typeof kinds)[number]

const hints = {
  web: 'webHint',
  spa: 'spaHint',
  native: 'nativeHint',
  service: 'serviceHint',
  saml: 'samlHint',
} as const satisfies Record<Kind, string>

export const CreateApplication = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(applicationsTexts)
  const [, setLocation] = useLocation()
  const [kind, setKind] = useState<Kind>('web')
  const [name, setName] = useState('')
  const [redirects, setRedirects] = useState('')
  const [metadata, setMetadata] = useState('')
  const [entityId, setEntityId] = useState('')
  const [acsUrl, setAcsUrl] = useState('')
  const [groups, setGroups] = useState<readonly NamedRecord[]>([])
  const [created, setCreated] = useState<CreatedApplicationRecord | null>(null)
  const show = ({ id }: CreatedApplicationRecord): void => setLocation(`/console/applications/${id}`)
  if (created?.protocol === 'oidc')
    return (
      <Dialog title={text.credentials} onClose={() => show(created)}>
        <Copy label={text.clientId} value={created.clientId} />
        {created.clientSecret !== undefined && (
          <Copy label={text.clientSecret} value={created.clientSecret} once />
        )}
        <div className="actions">
          <Button look="primary" onClick={() => show(created)}>
            {text.next}
          </Button>
        </div>
      </Dialog>
    )
  const groupIds = kind === 'service' ? [] : groups.map(({ id }) => id)
  const settings =
    kind === 'saml'
      ? metadata.trim() === ''
        ? { protocol: 'saml', saml: { entityId: entityId.trim(), acsUrls: linesOf(acsUrl) } }
        : { protocol: 'saml', metadataXml: metadata }
      : {
          protocol: 'oidc',
          type: kind,
          ...(kind === 'service' ? {} : { redirectUris: linesOf(redirects) }),
        }
  return (
    <CommandDialog<CreatedApplicationRecord>
      title={text.createTitle}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created(name.trim())}
      command={() => ({
        method: 'POST',
        path: '/applications',
        body: { name: name.trim(), ...settings, ...(groupIds.length === 0 ? {} : { groupIds }) },
      })}
      onClose={onClose}
      onDone={(result) => (result.protocol === 'saml' ? show(result) : setCreated(result))}
      names={[
        'name',
        ...(kind === 'saml' ? ['metadataXml', 'saml/entityId', 'saml/acsUrls'] : ['redirectUris']),
      ]}
      fields={(errorOf) => (
        <>
          <TextField
            name="name"
            label={text.name}
            value={name}
            onChange={setName}
            error={errorOf('name')}
            required
            autoFocus
          />
          <Select
            name="kind"
            label={text.kind}
            hint={text[hints[kind]]}
            value={kind}
            options={kinds.map((value) => ({ value, label: text[value] }))}
            onChange={(value) => setKind(kinds.find((one) => one === value) ?? 'web')}
          />
          {kind !== 'saml' && kind !== 'service' && (
            <TextArea
              name="redirectUris"
              label={text.redirectUris}
              hint={text.redirectHint}
              value={redirects}
              onChange={setRedirects}
              error={errorOf('redirectUris')}
            />
          )}
          {kind === 'saml' && (
            <>
              <TextArea
                name="metadataXml"
                label={text.metadata}
                hint={text.metadataHint}
                value={metadata}
                onChange={setMetadata}
                error={errorOf('metadataXml')}
              />
              {metadata.trim() === '' && (
                <>
                  <TextField
                    name="entityId"
                    label={text.entityId}
                    value={entityId}
                    onChange={setEntityId}
                    error={errorOf('saml/entityId')}
                  />
                  <TextField
                    name="acsUrls"
                    type="url"
                    label={text.acsUrl}
                    value={acsUrl}
                    onChange={setAcsUrl}
                    error={errorOf('saml/acsUrls')}
                  />
                </>
              )}
            </>
          )}
          {kind !== 'service' && <GroupsField chosen={groups} onChange={setGroups} />}
        </>
      )}
    />
  )
}
