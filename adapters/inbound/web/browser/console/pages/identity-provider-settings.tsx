import { useState } from 'react'
import { useList } from '../api.ts'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import type { DomainRecord, IdentityProviderRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { useOauthConnection, useSamlConnection } from './identity-provider-connection.tsx'
import { useProvidersTexts } from './identity-providers-texts.ts'

interface DialogProps {
  readonly provider: IdentityProviderRecord
  readonly onClose: () => void
}

const optionsOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, label]) => ({ value, label }))

/** Changes how users sign in with a provider, and which accounts it may open. */
export const EditProvider = ({ provider, onClose }: DialogProps) => {
  const text = useProvidersTexts()
  const common = useTexts(commonTexts)
  const verified = useList<DomainRecord>('/domains', { status: 'verified', limit: '100', sort: 'name' })
  const oauth = useOauthConnection(provider)
  const saml = useSamlConnection(provider)
  const connection = provider.type === 'saml' ? saml : oauth
  const [values, setValues] = useState(() => ({
    ...provider,
    domains: provider.domains.join('\n'),
    phishingResistantValues: provider.phishingResistantValues.join('\n'),
  }))
  const set = (change: Partial<typeof values>): void => setValues({ ...values, ...change })
  const body = () => {
    const { name, linking, provisioning, requiredForDomains, trustEmailVerified, syncProfile } = values
    return {
      ...{ name, linking, provisioning, requiredForDomains, trustEmailVerified, syncProfile },
      ...connection.body(),
      domains: linesOf(values.domains),
      phishingResistantValues: linesOf(values.phishingResistantValues),
    }
  }
  const names = (verified.data?.items ?? []).map(({ name }) => name).join(', ')
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/identity-providers/${provider.id}`,
        body: body(),
        ifVersion: provider.version,
      })}
      onClose={onClose}
      names={['name', 'domains', 'phishingResistantValues', ...connection.names]}
      fields={(errorOf) => (
        <>
          <TextField
            name="name"
            label={text.name}
            hint={text.nameHint}
            value={values.name}
            onChange={(name) => set({ name })}
            error={errorOf('name')}
            required
          />
          <TextArea
            name="domains"
            label={text.domains}
            hint={names === '' ? text.domainsHint : `${text.domainsHint} ${text.yourDomains(names)}`}
            rows={2}
            value={values.domains}
            onChange={(domains) => set({ domains })}
            error={errorOf('domains')}
          />
          <Checkbox
            label={text.trust}
            hint={text.trustHint}
            checked={values.trustEmailVerified}
            onChange={(trustEmailVerified) => set({ trustEmailVerified })}
          />
          <Select
            name="linking"
            label={text.linking}
            value={values.linking}
            options={optionsOf(text.linkings)}
            onChange={(linking) => set({ linking: linking as IdentityProviderRecord['linking'] })}
          />
          <Select
            name="provisioning"
            label={text.provisioning}
            value={values.provisioning}
            options={optionsOf(text.provisionings)}
            onChange={(value) => set({ provisioning: value as IdentityProviderRecord['provisioning'] })}
          />
          <Checkbox
            label={text.required}
            hint={text.requiredHint}
            checked={values.requiredForDomains}
            onChange={(requiredForDomains) => set({ requiredForDomains })}
          />
          <Checkbox
            label={text.sync}
            checked={values.syncProfile}
            onChange={(syncProfile) => set({ syncProfile })}
          />
          {connection.fields(errorOf)}
          <TextArea
            name="phishingResistantValues"
            label={text.strong}
            hint={text.strongHint}
            rows={2}
            value={values.phishingResistantValues}
            onChange={(phishingResistantValues) => set({ phishingResistantValues })}
            error={errorOf('phishingResistantValues')}
          />
        </>
      )}
    />
  )
}

const claims = ['email', 'name', 'givenName', 'familyName', 'department', 'title', 'groups'] as const
type Mapping = IdentityProviderRecord['attributeMapping']

/** The labels of the fields that a provider can supply, in their order. */
export const useClaimLabels = (): readonly (readonly [(typeof claims)[number], string])[] => {
  const text = useProvidersTexts()
  const labels: Readonly<Record<(typeof claims)[number], string>> = {
    ...{ email: text.email, name: text.fullName, givenName: text.givenName, familyName: text.familyName },
    ...{ department: text.department, title: text.jobTitle, groups: text.groups },
  }
  return claims.map((field) => [field, labels[field]] as const)
}

/** Changes which claims are read. */
export const EditClaims = ({ provider, onClose }: DialogProps) => {
  const text = useProvidersTexts()
  const common = useTexts(commonTexts)
  const labels = useClaimLabels()
  const [mapping, setMapping] = useState<Mapping>(provider.attributeMapping)
  const filled = Object.fromEntries(
    Object.entries(mapping).flatMap(([field, claim]) =>
      claim === undefined || claim.trim() === '' ? [] : [[field, claim.trim()]],
    ),
  )
  return (
    <CommandDialog
      title={text.editClaims}
      intro={<p>{text.mappingHint}</p>}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/identity-providers/${provider.id}`,
        body: { attributeMapping: filled },
        ifVersion: provider.version,
      })}
      onClose={onClose}
      names={claims.map((field) => `attributeMapping/${field}`)}
      fields={(errorOf) =>
        labels.map(([field, label]) => (
          <TextField
            key={field}
            name={field}
            label={label}
            value={mapping[field] ?? ''}
            onChange={(claim) => setMapping({ ...mapping, [field]: claim })}
            error={errorOf(`attributeMapping/${field}`)}
          />
        ))
      }
    />
  )
}
