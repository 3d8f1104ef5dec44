/** The dialogs of API keys: creating one, which shows it once, and revoking one. */
import { useState } from 'react'
import { apiKeyScopes } from '../../../../../../domain/api-key/decider.ts'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Checkbox, FieldGroup, TextArea, TextField } from '../kit/field.tsx'
import type { RecordAction } from '../kit/record-action.ts'
import { SearchSelect } from '../kit/search-select.tsx'
import type { ApiKeyRecord, CreatedApiKeyRecord, ServiceAccountRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { apiKeysTexts } from './api-keys-texts.ts'
import { linesOf } from '../kit/lines.ts'

type Scope = ApiKeyRecord['scopes'][number]

const hints = { api: 'apiHint', scim: 'scimHint' } as const satisfies Record<Scope, string>

/** Returns the end of a day in the time zone of the browser; what is no day is sent as it is, so that the API names it. */
const endOf = (day: string): string => {
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? day : end.toISOString()
}

/** @param account null to choose one */
export const CreateApiKey = ({
  account,
  onClose,
}: {
  readonly account: ServiceAccountRecord | null
  readonly onClose: () => void
}) => {
  const text = useTexts(apiKeysTexts)
  const common = useTexts(commonTexts)
  const [chosen, setChosen] = useState<ServiceAccountRecord | null>(null)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['api'])
  const [day, setDay] = useState('')
  const [addresses, setAddresses] = useState('')
  const [created, setCreated] = useState<CreatedApiKeyRecord | null>(null)
  if (created !== null)
    return (
      <Dialog title={text.newKey} onClose={onClose}>
        <Copy label={text.key} value={created.key} once />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            {common.close}
          </Button>
        </div>
      </Dialog>
    )
  const allowedCidrs = linesOf(addresses)
  const key = {
    name: name.trim(),
    scopes,
    ...(day === '' ? {} : { expiresAt: endOf(day) }),
    ...(allowedCidrs.length === 0 ? {} : { allowedCidrs }),
  }
  return (
    <CommandDialog<CreatedApiKeyRecord>
      title={text.createTitle}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created}
      command={() =>
        account === null
          ? { method: 'POST', path: '/api-keys', body: { serviceAccountId: chosen?.id ?? '', ...key } }
          : { method: 'POST', path: `/service-accounts/${account.id}/keys`, body: key }
      }
      onClose={onClose}
      onDone={setCreated}
      names={['serviceAccountId', 'name', 'expiresAt', 'allowedCidrs']}
      fields={(errorOf) => (
        <>
          {account === null && (
            <SearchSelect<ServiceAccountRecord>
              name="serviceAccountId"
              label={text.account}
              path="/service-accounts"
              query={{ status: 'active' }}
              value={chosen}
              none={text.choose}
              onChange={setChosen}
              error={errorOf('serviceAccountId')}
            />
          )}
          <TextField
            name="name"
            label={text.name}
            value={name}
            onChange={setName}
            error={errorOf('name')}
            required
            autoFocus
          />
          <FieldGroup label={text.scopes}>
            {apiKeyScopes.map((scope) => (
              <Checkbox
                key={scope}
                label={text[scope]}
                hint={text[hints[scope]]}
                checked={scopes.includes(scope)}
                onChange={(checked) =>
                  setScopes(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                }
              />
            ))}
          </FieldGroup>
          <TextField
            name="expiresAt"
            type="date"
            label={text.expires}
            hint={text.expiresHint}
            value={day}
            onChange={setDay}
            error={errorOf('expiresAt')}
          />
          <TextArea
            name="allowedCidrs"
            label={text.addresses}
            hint={text.addressesHint}
            value={addresses}
            onChange={setAddresses}
            error={errorOf('allowedCidrs')}
          />
        </>
      )}
    />
  )
}

export const useRevokeApiKey = (): RecordAction<ApiKeyRecord> => {
  const text = useTexts(apiKeysTexts)
  return {
    label: text.revoke,
    roles: ['user_admin'],
    // An expired key can be revoked too: then nothing can make it work again.
    applies: ({ status }) => status !== 'revoked',
    dangerous: true,
    effect: text.revokeEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/api-keys/${id}` }),
  }
}

export const RevokeApiKey = ({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKeyRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(apiKeysTexts)
  return (
    <ActionDialog
      action={useRevokeApiKey()}
      item={apiKey}
      title={text.revokeTitle(apiKey.name)}
      detail={
        <p>
          <code>{apiKey.prefix}…</code>
        </p>
      }
      done={text.revokedDone(apiKey.name)}
      onClose={onClose}
    />
  )
}
