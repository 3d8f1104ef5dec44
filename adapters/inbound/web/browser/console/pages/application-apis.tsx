/** The scopes of APIs that an application can request. */
import { useState } from 'react'
import { useList, useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Checkbox, Select } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { Loaded, Section } from '../kit/record.tsx'
import type { ApiResourceRecord, ApplicationRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'

const apisTexts = texts({
  en: {
    title: 'API scopes',
    hint: 'Scopes of your own APIs that the application can request, besides those of OpenID Connect.',
    none: 'No scopes are granted.',
    noApis: 'Every API with scopes is granted already, or none is registered.',
    more: 'Only the first 200 APIs can be chosen here.',
    api: 'API',
    scopes: 'Scopes',
    grant: 'Grant scopes',
    grantEffect: 'The application can request these scopes. Its access tokens are signed (JWT) from then on.',
    granted: (api: string) => `Scopes of ${api} were granted`,
    change: 'Change',
    changeTitle: (api: string) => `Scopes of ${api}`,
    changeEffect: 'The application can no longer request the scopes that you leave out.',
    revoke: 'Revoke',
    revokeTitle: (api: string) => `Revoke the scopes of ${api}`,
    revokeEffect: 'The application can no longer request any scope of this API.',
    revoked: (api: string) => `The scopes of ${api} were revoked`,
  },
  de: {
    title: 'API-Scopes',
    hint: 'Scopes Ihrer eigenen APIs, die die Anwendung neben denen von OpenID Connect anfordern kann.',
    none: 'Es sind keine Scopes gewährt.',
    noApis: 'Jede API mit Scopes ist bereits gewährt, oder es ist keine registriert.',
    more: 'Hier lassen sich nur die ersten 200 APIs wählen.',
    api: 'API',
    scopes: 'Scopes',
    grant: 'Scopes gewähren',
    grantEffect:
      'Die Anwendung kann diese Scopes anfordern. Ihre Access-Tokens sind von da an signiert (JWT).',
    granted: (api: string) => `Scopes von ${api} wurden gewährt`,
    change: 'Ändern',
    changeTitle: (api: string) => `Scopes von ${api}`,
    changeEffect: 'Die Anwendung kann die Scopes, die Sie weglassen, nicht mehr anfordern.',
    revoke: 'Entziehen',
    revokeTitle: (api: string) => `Scopes von ${api} entziehen`,
    revokeEffect: 'Die Anwendung kann keinen Scope dieser API mehr anfordern.',
    revoked: (api: string) => `Die Scopes von ${api} wurden entzogen`,
  },
})

const MOST = '200'

type OidcApplication = Extract<ApplicationRecord, { protocol: 'oidc' }>
type Grant = OidcApplication['apiGrants'][number]

type Asked =
  | { readonly what: 'grant' }
  | { readonly what: 'change' | 'revoke'; readonly api: ApiResourceRecord; readonly grant: Grant }

export const ApplicationApis = ({
  application: { id, apiGrants },
  mayWrite,
}: {
  readonly application: OidcApplication
  readonly mayWrite: boolean
}) => {
  const text = useTexts(apisTexts)
  const [asked, setAsked] = useState<Asked | null>(null)
  const apis = useList<ApiResourceRecord>('/api-resources', { limit: MOST, sort: 'name' })
  const close = (): void => setAsked(null)
  const grantable = (apis.data?.items ?? []).filter(
    (api) => api.scopes.length > 0 && apiGrants.every(({ apiResourceId }) => apiResourceId !== api.id),
  )
  return (
    <Section
      title={text.title}
      hint={text.hint}
      actions={
        mayWrite &&
        grantable.length > 0 && <Button onClick={() => setAsked({ what: 'grant' })}>{text.grant}</Button>
      }
    >
      {apiGrants.length === 0 ? (
        <p className="hint">{text.none}</p>
      ) : (
        <ul className={styles['picks']}>
          {apiGrants.map((grant) => (
            <GrantedApi key={grant.apiResourceId} grant={grant} onAsk={mayWrite ? setAsked : null} />
          ))}
        </ul>
      )}
      <Loaded query={apis}>
        {({ next }) => (
          <>
            {mayWrite && grantable.length === 0 && <p className="hint">{text.noApis}</p>}
            {next !== null && <p className="hint">{text.more}</p>}
          </>
        )}
      </Loaded>
      {asked?.what === 'grant' && <ScopesDialog applicationId={id} apis={grantable} onClose={close} />}
      {asked?.what === 'change' && (
        <ScopesDialog applicationId={id} apis={[asked.api]} granted={asked.grant.scopes} onClose={close} />
      )}
      {asked?.what === 'revoke' && (
        <CommandDialog
          title={text.revokeTitle(asked.api.name)}
          intro={<p>{text.revokeEffect}</p>}
          confirm={text.revoke}
          dangerous
          done={text.revoked(asked.api.name)}
          command={() => ({ method: 'DELETE', path: `/api-resources/${asked.api.id}/grants/${id}` })}
          onClose={close}
        />
      )}
    </Section>
  )
}

const GrantedApi = ({
  grant,
  onAsk,
}: {
  readonly grant: Grant
  readonly onAsk: ((asked: Asked) => void) | null
}) => {
  const text = useTexts(apisTexts)
  const api = useRecord<ApiResourceRecord>(`/api-resources/${grant.apiResourceId}`)
  return (
    <li>
      <Loaded query={api}>
        {(data) => (
          <>
            <span>
              <strong>{data.name}</strong> <code>{grant.scopes.join(' ')}</code>
            </span>
            {onAsk !== null && (
              <span className="actions">
                <Button small onClick={() => onAsk({ what: 'change', api: data, grant })}>
                  {text.change}
                  <span className="visually-hidden"> {data.name}</span>
                </Button>
                <Button small look="danger" onClick={() => onAsk({ what: 'revoke', api: data, grant })}>
                  {text.revoke}
                  <span className="visually-hidden"> {data.name}</span>
                </Button>
              </span>
            )}
          </>
        )}
      </Loaded>
    </li>
  )
}

/** Grants scopes of one of the APIs, or changes those that are granted of the only one. */
const ScopesDialog = ({
  applicationId,
  apis,
  granted,
  onClose,
}: {
  readonly applicationId: string
  readonly apis: readonly ApiResourceRecord[]
  readonly granted?: readonly string[]
  readonly onClose: () => void
}) => {
  const text = useTexts(apisTexts)
  const common = useTexts(commonTexts)
  const [apiId, setApiId] = useState(apis[0]?.id ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(granted ?? [])
  const api = apis.find(({ id }) => id === apiId)
  const name = api?.name ?? ''
  return (
    <CommandDialog
      title={granted === undefined ? text.grant : text.changeTitle(name)}
      intro={<p>{granted === undefined ? text.grantEffect : text.changeEffect}</p>}
      confirm={granted === undefined ? text.grant : common.save}
      done={text.granted(name)}
      command={() => ({
        method: 'PUT',
        path: `/api-resources/${apiId}/grants/${applicationId}`,
        body: { scopes: chosen },
      })}
      onClose={onClose}
      fields={() => (
        <>
          {granted === undefined && (
            <Select
              name="api"
              label={text.api}
              value={apiId}
              options={apis.map(({ id, name: label }) => ({ value: id, label }))}
              onChange={(value) => {
                setApiId(value)
                setChosen([])
              }}
            />
          )}
          <fieldset className={styles['choices']}>
            <legend>{text.scopes}</legend>
            {(api?.scopes ?? []).map(({ name: scope, description }) => (
              <Checkbox
                key={scope}
                label={scope}
                hint={description ?? undefined}
                checked={chosen.includes(scope)}
                onChange={(checked) =>
                  setChosen(checked ? [...chosen, scope] : chosen.filter((other) => other !== scope))
                }
              />
            ))}
          </fieldset>
        </>
      )}
    />
  )
}
