/** The dialogs of provisioning: setting it up, its actions, its end. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Checkbox, FieldGroup, Select, TextField } from '../kit/field.tsx'
import type { ProvisioningRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { provisioningTexts, pushedTexts } from './provisioning-texts.ts'

export type ProvisioningAction = 'test' | 'sync' | 'resume' | 'edit' | 'remove'

const userNames = ['email', 'externalId'] as const satisfies ProvisioningRecord['userNameAttribute'][]
type UserName = (typeof userNames)[number]

/** @param current null to set it up */
export const ProvisioningSettings = ({
  applicationId,
  name,
  current,
  onClose,
  onDone,
}: {
  readonly applicationId: string
  readonly name: string
  readonly current: ProvisioningRecord | null
  readonly onClose: () => void
  readonly onDone?: () => void
}) => {
  const text = useTexts(provisioningTexts)
  const common = useTexts(commonTexts)
  const pushed = Object.entries(useTexts(pushedTexts))
  const [baseUrl, setBaseUrl] = useState(current?.baseUrl ?? '')
  const [token, setToken] = useState('')
  const [userName, setUserName] = useState<UserName>(current?.userNameAttribute ?? 'email')
  const [enabled, setEnabled] = useState(current?.enabled ?? true)
  const [attributes, setAttributes] = useState<Readonly<Record<string, boolean>>>(
    current?.attributes ?? Object.fromEntries(pushed.map(([attribute]) => [attribute, true])),
  )
  return (
    <CommandDialog
      title={current === null ? `${text.setUp}: ${name}` : `${text.edit}: ${name}`}
      intro={current === null ? <p>{text.setUpEffect}</p> : undefined}
      confirm={current === null ? text.setUp : common.save}
      done={text.saved}
      command={() => ({
        method: 'PUT',
        path: `/provisioning/applications/${applicationId}`,
        body: {
          baseUrl: baseUrl.trim(),
          ...(token === '' ? {} : { token: token.trim() }),
          userNameAttribute: userName,
          enabled,
          attributes,
        },
      })}
      onClose={onClose}
      onDone={onDone ?? onClose}
      names={['baseUrl', 'token', 'userNameAttribute']}
      fields={(errorOf) => (
        <>
          <TextField
            name="baseUrl"
            type="url"
            label={text.baseUrl}
            hint={text.baseUrlHint}
            value={baseUrl}
            onChange={setBaseUrl}
            error={errorOf('baseUrl')}
            required
            autoFocus
          />
          <TextField
            name="token"
            type="password"
            label={text.token}
            hint={current === null ? text.tokenHint : text.tokenKept}
            value={token}
            onChange={setToken}
            error={errorOf('token')}
            autoComplete="new-password"
          />
          <Select
            name="userNameAttribute"
            label={text.userName}
            value={userName}
            options={userNames.map((value) => ({ value, label: text[value] }))}
            onChange={(value) => setUserName(userNames.find((known) => known === value) ?? 'email')}
            error={errorOf('userNameAttribute')}
          />
          <FieldGroup label={text.sent}>
            {pushed.map(([attribute, label]) => (
              <Checkbox
                key={attribute}
                label={label}
                checked={attributes[attribute] ?? false}
                onChange={(checked) => setAttributes({ ...attributes, [attribute]: checked })}
              />
            ))}
          </FieldGroup>
          <Checkbox label={text.enabled} hint={text.enabledHint} checked={enabled} onChange={setEnabled} />
        </>
      )}
    />
  )
}

export const ProvisioningDialog = ({
  action,
  provisioning,
  onClose,
}: {
  readonly action: ProvisioningAction
  readonly provisioning: ProvisioningRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(provisioningTexts)
  const [, setLocation] = useLocation()
  const { applicationId, applicationName, pausedOver } = provisioning
  if (action === 'edit')
    return (
      <ProvisioningSettings
        applicationId={applicationId}
        name={applicationName}
        current={provisioning}
        onClose={onClose}
      />
    )
  const { effect, done } = {
    test: { effect: text.testEffect, done: text.tested },
    sync: { effect: text.syncEffect, done: text.synced },
    resume: { effect: text.resumeEffect(pausedOver ?? 0), done: text.resumed },
    remove: { effect: text.removeEffect, done: text.removed },
  }[action]
  const path = `/provisioning/applications/${applicationId}`
  return (
    <CommandDialog
      title={`${text[action]}: ${applicationName}`}
      intro={<p>{effect}</p>}
      confirm={text[action]}
      dangerous={action === 'resume' || action === 'remove'}
      done={done}
      command={() =>
        action === 'remove' ? { method: 'DELETE', path } : { method: 'POST', path: `${path}/${action}` }
      }
      onClose={onClose}
      onDone={() => (action === 'remove' ? setLocation('/console/provisioning') : onClose())}
    />
  )
}
