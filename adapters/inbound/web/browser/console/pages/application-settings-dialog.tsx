/** The editable settings of an application as data, and the dialog that edits a part of them. */
import { useState } from 'react'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import type { ApplicationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { linesOf } from '../kit/lines.ts'
import { applicationTexts } from './application-texts.ts'

type Label = {
  [K in keyof typeof applicationTexts.en]: (typeof applicationTexts.en)[K] extends string ? K : never
}[keyof typeof applicationTexts.en]

export interface SettingField {
  /** In the request body, such as `saml/entityId` */
  readonly name: string
  readonly label: Label
  /** A list is edited as lines. */
  readonly value: string | boolean | readonly string[]
  readonly isNumber?: boolean
  /** Whether an empty text is sent as null */
  readonly clears?: boolean
  readonly options?: readonly Label[]
  readonly hint?: Label
  /** The name of a field; where that changes, the API removes this one unless it is sent too. */
  readonly sentWith?: string
}

export const generalFields = (of: ApplicationRecord): readonly SettingField[] => [
  { name: 'name', label: 'name', value: of.name },
  { name: 'description', label: 'description', value: of.description ?? '', clears: true },
  { name: 'launchUrl', label: 'launchUrl', value: of.launchUrl ?? '', clears: true },
  { name: 'logoUrl', label: 'logoUrl', value: of.logoUrl ?? '', clears: true },
  { name: 'visibleInPortal', label: 'visible', value: of.visibleInPortal },
]

export const addressFields = (of: ApplicationRecord): readonly SettingField[] =>
  of.protocol === 'saml' || of.type === 'service'
    ? []
    : [
        { name: 'redirectUris', label: 'redirectUris', value: of.redirectUris },
        {
          name: 'postLogoutRedirectUris',
          label: 'postLogoutRedirectUris',
          value: of.postLogoutRedirectUris,
        },
        {
          name: 'backchannelLogoutUri',
          label: 'backchannelLogoutUri',
          value: of.backchannelLogoutUri ?? '',
          clears: true,
        },
        { name: 'allowedOrigins', label: 'allowedOrigins', value: of.allowedOrigins },
      ]

export const tokenFields = (of: ApplicationRecord): readonly SettingField[] =>
  of.protocol === 'saml'
    ? []
    : [
        ...(of.type === 'web'
          ? [{ name: 'requirePkce', label: 'pkce', value: of.requirePkce } as const]
          : []),
        {
          name: 'idTokenLifetimeSeconds',
          label: 'idToken',
          value: String(of.idTokenLifetimeSeconds),
          isNumber: true,
        },
        {
          name: 'accessTokenLifetimeSeconds',
          label: 'accessToken',
          value: String(of.accessTokenLifetimeSeconds),
          isNumber: true,
        },
        {
          name: 'refreshTokenLifetimeSeconds',
          label: 'refreshToken',
          value: String(of.refreshTokenLifetimeSeconds),
          isNumber: true,
        },
        { name: 'refreshTokenRotation', label: 'rotation', value: of.refreshTokenRotation },
        {
          name: 'refreshTokenGraceSeconds',
          label: 'grace',
          value: String(of.refreshTokenGraceSeconds),
          isNumber: true,
        },
      ]

export const samlFields = (of: ApplicationRecord): readonly SettingField[] =>
  of.protocol === 'oidc'
    ? []
    : [
        { name: 'saml/entityId', label: 'entityId', value: of.saml.entityId },
        { name: 'saml/acsUrls', label: 'acsUrls', value: of.saml.acsUrls },
        {
          name: 'saml/acsIndexes',
          label: 'acsIndexes',
          hint: 'acsIndexesHint',
          value: (of.saml.acsIndexes ?? []).map(String),
          isNumber: true,
          clears: true,
          sentWith: 'saml/acsUrls',
        },
        {
          name: 'saml/nameIdFormat',
          label: 'nameIdFormat',
          value: of.saml.nameIdFormat,
          options: ['email', 'persistent', 'unspecified'],
        },
        { name: 'saml/signResponse', label: 'signResponse', value: of.saml.signResponse },
        { name: 'saml/sessionNotOnOrAfter', label: 'sessionEnd', value: of.saml.sessionNotOnOrAfter },
        {
          name: 'saml/defaultRelayState',
          label: 'relayState',
          value: of.saml.defaultRelayState ?? '',
          clears: true,
        },
      ]

const attributeLabels = {
  email: 'email',
  name: 'attributeName',
  given_name: 'givenName',
  family_name: 'familyName',
  groups: 'attributeGroups',
} as const satisfies Record<string, Label>

export const attributeFields = (of: ApplicationRecord): readonly SettingField[] =>
  of.protocol === 'oidc'
    ? []
    : (Object.keys(attributeLabels) as (keyof typeof attributeLabels)[]).map((name) => ({
        name: `saml/attributeNames/${name}`,
        label: attributeLabels[name],
        value: of.saml.attributeNames[name],
      }))

type Typed = Readonly<Record<string, string | boolean>>

const typedOf = (value: SettingField['value']): string | boolean =>
  typeof value === 'object' ? value.join('\n') : value

const sentOf = (
  { value, isNumber = false, clears = false }: SettingField,
  typed: string | boolean,
): unknown => {
  if (typeof typed === 'boolean') return typed
  if (typeof value === 'object') {
    const lines = linesOf(typed)
    if (clears && lines.length === 0) return null
    return isNumber ? lines.map(Number) : lines
  }
  const text = typed.trim()
  if (isNumber) return text === '' ? null : Number(text)
  return clears && text === '' ? null : text
}

const put = (
  body: Record<string, unknown>,
  [name = '', ...inside]: readonly string[],
  value: unknown,
): void => {
  if (inside.length === 0) {
    body[name] = value
    return
  }
  const part = (body[name] ?? {}) as Record<string, unknown>
  body[name] = part
  put(part, inside, value)
}

/** Returns the body of the request: only what was changed, so that a change by someone else meanwhile is kept. */
const changesOf = (fields: readonly SettingField[], typed: Typed): Record<string, unknown> => {
  const isChanged = ({ name, value }: SettingField): boolean => typed[name] !== typedOf(value)
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const { name, sentWith } = field
    if (isChanged(field) || fields.some((other) => other.name === sentWith && isChanged(other)))
      put(body, name.split('/'), sentOf(field, typed[name] ?? ''))
  }
  return body
}

export const SettingsDialog = ({
  title,
  applicationId,
  fields,
  onClose,
}: {
  readonly title: string
  readonly applicationId: string
  readonly fields: readonly SettingField[]
  readonly onClose: () => void
}) => {
  const text = useTexts(applicationTexts)
  const common = useTexts(commonTexts)
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(fields.map(({ name, value }) => [name, typedOf(value)])),
  )
  return (
    <CommandDialog
      title={title}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/applications/${applicationId}`,
        body: changesOf(fields, typed),
      })}
      onClose={onClose}
      names={fields.map(({ name }) => name)}
      fields={(errorOf) =>
        fields.map(({ name, label, hint = 'onePerLine', value, isNumber = false, options }) => {
          const now = typed[name] ?? ''
          const set = (next: string | boolean): void => setTyped({ ...typed, [name]: next })
          if (typeof now === 'boolean')
            return <Checkbox key={name} label={text[label]} checked={now} onChange={set} />
          const field = { name, label: text[label], value: now, onChange: set, error: errorOf(name) }
          if (options !== undefined)
            return (
              <Select
                key={name}
                {...field}
                options={options.map((option) => ({ value: option, label: text[option] }))}
              />
            )
          return typeof value === 'object' ? (
            <TextArea key={name} {...field} hint={text[hint]} />
          ) : (
            <TextField key={name} {...field} type={isNumber ? 'number' : 'text'} />
          )
        })
      }
    />
  )
}
