import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Select, TextArea, TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { IdentityProviderRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { useProviderActions } from './identity-provider-commands.ts'
import { useProvidersTexts } from './identity-providers-texts.ts'

export const ProviderBadge = ({ enabled }: Pick<IdentityProviderRecord, 'enabled'>) => {
  const text = useProvidersTexts()
  return <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? text.enabled : text.disabled}</Badge>
}

export const IdentityProvidersPage = () => {
  const text = useProvidersTexts()
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const actions = useProviderActions()
  const [adding, setAdding] = useState(false)
  const columns: readonly Column<IdentityProviderRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/identity-providers/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'type',
      label: text.type,
      cell: ({ type }) => text.types[type],
      text: ({ type }) => type,
    },
    {
      name: 'domains',
      label: text.domains,
      cell: ({ domains }) => domains.join(', '),
      text: ({ domains }) => domains.join(' '),
    },
    {
      name: 'linkedAccountCount',
      label: text.linkedAccounts,
      cell: ({ linkedAccountCount }) => linkedAccountCount,
      text: ({ linkedAccountCount }) => String(linkedAccountCount),
    },
    {
      name: 'enabled',
      label: text.state,
      cell: ({ enabled }) => <ProviderBadge enabled={enabled} />,
      text: ({ enabled }) => (enabled ? text.enabled : text.disabled),
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
      <RecordList<IdentityProviderRecord>
        path="/identity-providers"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        bulk={{ counted: text.counted, actions }}
        empty={text.empty}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'enabled',
            label: text.state,
            options: [
              { value: 'true', label: text.enabled },
              { value: 'false', label: text.disabled },
            ],
          },
        ]}
      />
      {adding && <AddProvider onClose={() => setAdding(false)} />}
    </>
  )
}

const nothing = {
  ...{ name: '', type: 'oidc', issuer: '', tenantId: '', clientId: '', clientSecret: '', metadataXml: '' },
} as const

/** Asks only for what the type needs; everything else is set on the record, when the redirect URI is known. */
const AddProvider = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useProvidersTexts()
  const [, navigate] = useLocation()
  const [values, setValues] = useState<Readonly<Record<keyof typeof nothing, string>>>(nothing)
  const { name, type, issuer, tenantId, clientId, clientSecret, metadataXml } = values
  const body = {
    ...{ name, type },
    ...(type === 'saml' ? { metadataXml } : { clientId, clientSecret }),
    ...(type === 'oidc' ? { issuer } : {}),
    ...(type === 'microsoft' ? { tenantId } : {}),
  }
  const field = (key: keyof typeof nothing, label: string, more: { readonly hint?: string } = {}) => ({
    name: key,
    label,
    value: values[key],
    onChange: (value: string) => setValues({ ...values, [key]: value }),
    ...more,
  })
  return (
    <CommandDialog<IdentityProviderRecord>
      title={text.add}
      intro={<p>{text.addIntro}</p>}
      confirm={text.add}
      names={Object.keys(nothing)}
      command={() => ({ method: 'POST', path: '/identity-providers', body })}
      onClose={onClose}
      onDone={({ id }) => navigate(`/console/identity-providers/${id}`)}
      fields={(errorOf) => (
        <>
          <Select
            name="type"
            label={text.type}
            value={type}
            options={Object.entries(text.types).map(([value, label]) => ({ value, label }))}
            onChange={(value) => setValues({ ...values, type: value })}
          />
          <TextField
            {...field('name', text.name, { hint: text.nameHint })}
            error={errorOf('name')}
            required
          />
          {type === 'oidc' && (
            <TextField
              {...field('issuer', text.issuer, { hint: text.issuerHint })}
              error={errorOf('issuer')}
              type="url"
              required
            />
          )}
          {type === 'microsoft' && (
            <TextField {...field('tenantId', text.tenantId)} error={errorOf('tenantId')} required />
          )}
          {type === 'saml' ? (
            <TextArea
              {...field('metadataXml', text.metadataXml, { hint: text.metadataXmlHint })}
              error={errorOf('metadataXml')}
              rows={6}
            />
          ) : (
            <>
              <TextField {...field('clientId', text.clientId)} error={errorOf('clientId')} required />
              <TextField
                {...field('clientSecret', text.clientSecret)}
                error={errorOf('clientSecret')}
                required
              />
            </>
          )}
        </>
      )}
    />
  )
}
