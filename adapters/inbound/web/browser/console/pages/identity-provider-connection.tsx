import { useState, type ReactNode } from 'react'
import type { FieldError } from '../kit/command-dialog.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import { linesOf } from '../kit/lines.ts'
import type { IdentityProviderRecord } from '../records.ts'
import { useProvidersTexts } from './identity-providers-texts.ts'

/** The part of a form that says how a provider is reached. */
export interface ConnectionForm {
  readonly body: () => Readonly<Record<string, unknown>>
  readonly names: readonly string[]
  readonly fields: (errorOf: FieldError) => ReactNode
}

const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const

/** The form of an OpenID provider, or of GitHub. */
export const useOauthConnection = (provider: IdentityProviderRecord): ConnectionForm => {
  const text = useProvidersTexts()
  const [values, setValues] = useState(() => ({
    clientId: provider.clientId ?? '',
    clientAuthentication: provider.clientAuthentication ?? methods[0],
    clientSecret: '',
    scopes: provider.scopes?.join('\n') ?? '',
  }))
  const set = (change: Partial<typeof values>): void => setValues({ ...values, ...change })
  const offered = provider.type === 'github' ? methods.slice(0, 2) : methods
  return {
    names: ['clientId', 'clientSecret', 'scopes'],
    body: () => {
      const { clientSecret, scopes, ...others } = values
      return { ...others, scopes: linesOf(scopes), ...(clientSecret === '' ? {} : { clientSecret }) }
    },
    fields: (errorOf) => (
      <>
        <TextField
          name="clientId"
          label={text.clientId}
          value={values.clientId}
          onChange={(clientId) => set({ clientId })}
          error={errorOf('clientId')}
          required
        />
        <Select
          name="clientAuthentication"
          label={text.clientAuthentication}
          value={values.clientAuthentication}
          options={offered.map((value) => ({ value, label: value }))}
          onChange={(value) => set({ clientAuthentication: value as (typeof methods)[number] })}
        />
        {values.clientAuthentication !== 'private_key_jwt' && (
          <TextField
            name="clientSecret"
            label={text.clientSecret}
            hint={provider.hasSecret ? text.keepSecret : undefined}
            value={values.clientSecret}
            onChange={(clientSecret) => set({ clientSecret })}
            error={errorOf('clientSecret')}
          />
        )}
        <TextArea
          name="scopes"
          label={text.scopes}
          hint={provider.type === 'github' ? text.githubScopesHint : text.scopesHint}
          rows={3}
          value={values.scopes}
          onChange={(scopes) => set({ scopes })}
          error={errorOf('scopes')}
        />
      </>
    ),
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Stands for null, which no option of a select can be. */
const CHOSEN_BY_PROVIDER = 'any'

/** The form of a SAML identity provider. New metadata replaces its address and certificates. */
export const useSamlConnection = (provider: IdentityProviderRecord): ConnectionForm => {
  const text = useProvidersTexts()
  const [values, setValues] = useState(() => ({
    ssoUrl: provider.ssoUrl ?? '',
    certificates: provider.certificates?.join('') ?? '',
    nameIdFormat: provider.nameIdFormat ?? CHOSEN_BY_PROVIDER,
    acceptUnsolicited: provider.acceptUnsolicited ?? false,
    metadataXml: '',
  }))
  const set = (change: Partial<typeof values>): void => setValues({ ...values, ...change })
  return {
    names: ['metadataXml', 'ssoUrl', 'certificates'],
    body: () => {
      const { metadataXml, ssoUrl, certificates, nameIdFormat, acceptUnsolicited } = values
      return {
        nameIdFormat: nameIdFormat === CHOSEN_BY_PROVIDER ? null : nameIdFormat,
        acceptUnsolicited,
        ...(metadataXml.trim() === ''
          ? { ssoUrl, certificates: certificates.match(PEM) ?? [certificates] }
          : { metadataXml }),
      }
    },
    fields: (errorOf) => (
      <>
        <TextArea
          name="metadataXml"
          label={text.newMetadata}
          hint={text.newMetadataHint}
          rows={3}
          value={values.metadataXml}
          onChange={(metadataXml) => set({ metadataXml })}
          error={errorOf('metadataXml')}
        />
        <TextField
          name="ssoUrl"
          label={text.ssoUrl}
          value={values.ssoUrl}
          onChange={(ssoUrl) => set({ ssoUrl })}
          error={errorOf('ssoUrl')}
          type="url"
        />
        <TextArea
          name="certificates"
          label={text.certificates}
          hint={text.certificatesHint}
          rows={4}
          value={values.certificates}
          onChange={(certificates) => set({ certificates })}
          error={errorOf('certificates')}
        />
        <Select
          name="nameIdFormat"
          label={text.nameIdFormat}
          value={values.nameIdFormat}
          options={[
            { value: CHOSEN_BY_PROVIDER, label: text.anyNameId },
            ...['persistent', 'email', 'unspecified'].map((value) => ({ value, label: value })),
          ]}
          onChange={(nameIdFormat) => set({ nameIdFormat: nameIdFormat as typeof values.nameIdFormat })}
        />
        <Checkbox
          label={text.unsolicited}
          hint={text.unsolicitedHint}
          checked={values.acceptUnsolicited}
          onChange={(acceptUnsolicited) => set({ acceptUnsolicited })}
        />
      </>
    ),
  }
}
