import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import { Checkbox } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import type { IdentityProviderRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { ProviderBadge } from './identity-providers.tsx'
import { ProviderTest } from './identity-provider-test.tsx'
import { ProviderGroups } from './identity-provider-groups.tsx'
import { EditClaims, EditProvider, useClaimLabels } from './identity-provider-settings.tsx'
import { useProvidersTexts } from './identity-providers-texts.ts'

export const IdentityProviderPage = ({ id }: { readonly id: string }) => {
  const provider = useRecord<IdentityProviderRecord>(`/identity-providers/${id}`)
  return <LoadedPage query={provider}>{(data) => <LoadedProvider provider={data} />}</LoadedPage>
}

type Action = 'edit' | 'claims' | 'enable' | 'disable' | 'delete'

const LoadedProvider = ({ provider }: { readonly provider: IdentityProviderRecord }) => {
  const text = useProvidersTexts()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [action, setAction] = useState<Action | null>(null)
  const close = (): void => setAction(null)
  const { id, name, enabled } = provider
  return (
    <>
      <PageHead
        title={name}
        badge={<ProviderBadge enabled={enabled} />}
        lead={text.types[provider.type]}
        actions={
          mayWrite && (
            <>
              <Button small onClick={() => setAction('edit')}>
                {text.edit}
              </Button>
              <Button small onClick={() => setAction(enabled ? 'disable' : 'enable')}>
                {enabled ? text.disable : text.enable}
              </Button>
              <Button small look="danger" onClick={() => setAction('delete')}>
                {text.delete}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={name}
        path={`/console/identity-providers/${id}`}
        tabs={[
          {
            name: 'overview',
            label: text.overview,
            body: () => (
              <ProviderOverview
                provider={provider}
                onEditClaims={mayWrite ? () => setAction('claims') : null}
              />
            ),
          },
          {
            name: 'groups',
            label: text.groupsTab,
            body: () => <ProviderGroups provider={provider} mayWrite={mayWrite} />,
          },
          {
            name: 'test',
            label: text.testTab,
            body: () => <ProviderTest provider={provider} mayTest={mayWrite} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'identity_provider', targetId: id }} />
            ),
          },
        ]}
      />
      {action === 'edit' && <EditProvider provider={provider} onClose={close} />}
      {action === 'claims' && <EditClaims provider={provider} onClose={close} />}
      {(action === 'enable' || action === 'disable') && (
        <Switch provider={provider} action={action} onClose={close} />
      )}
      {action === 'delete' && <DeleteProvider provider={provider} onClose={close} />}
    </>
  )
}

const ProviderOverview = ({
  provider,
  onEditClaims,
}: {
  readonly provider: IdentityProviderRecord
  readonly onEditClaims: (() => void) | null
}) => {
  const text = useProvidersTexts()
  const labels = useClaimLabels()
  const flag = (value: boolean) => (value ? text.yes : text.no)
  return (
    <>
      {provider.metadataUrl === undefined ? (
        <Section title={text.connect} hint={text.connectHint}>
          <Copy label={text.callbackUrl} value={provider.callbackUrl} />
          {provider.backchannelLogoutUrl !== undefined && (
            <Copy label={text.backchannelLogoutUrl} value={provider.backchannelLogoutUrl} />
          )}
          {provider.securityEventsUrl !== undefined && (
            <Copy label={text.securityEventsUrl} value={provider.securityEventsUrl} />
          )}
        </Section>
      ) : (
        <Section title={text.connect} hint={text.connectSamlHint}>
          <Copy label={text.metadataUrl} value={provider.metadataUrl} />
          <Copy label={text.acsUrl} value={provider.callbackUrl} />
        </Section>
      )}
      <Section title={text.settings}>
        <Facts
          facts={[
            [provider.type === 'saml' ? text.entityId : text.issuer, provider.issuer],
            ...connectionFacts(provider, text),
            [text.domains, provider.domains.join(', ')],
            [text.required, flag(provider.requiredForDomains)],
            [text.trust, flag(provider.trustEmailVerified)],
            [text.linking, text.linkings[provider.linking]],
            [text.provisioning, text.provisionings[provider.provisioning]],
            [text.sync, flag(provider.syncProfile)],
            [text.strong, provider.phishingResistantValues.join(', ')],
            [
              text.linkedAccounts,
              <PageLink key="linked" to="/console/sign-ins?method=identity_provider">
                {provider.linkedAccountCount}
              </PageLink>,
            ],
            [text.id, <code key="id">{provider.id}</code>],
          ]}
        />
      </Section>
      <Section
        title={text.mapping}
        hint={text.mappingHint}
        actions={
          onEditClaims !== null && (
            <Button small onClick={onEditClaims}>
              {text.editClaims}
            </Button>
          )
        }
      >
        <Facts facts={labels.map(([field, label]) => [label, provider.attributeMapping[field]])} />
      </Section>
    </>
  )
}

/** How the provider is reached. */
const connectionFacts = (
  provider: IdentityProviderRecord,
  text: ReturnType<typeof useProvidersTexts>,
): readonly (readonly [string, ReactNode])[] => {
  const { type, clientId, clientAuthentication, scopes = [] } = provider
  if (type !== 'saml')
    return [
      [text.clientId, clientId],
      [text.clientAuthentication, clientAuthentication],
      [text.scopes, [...(type === 'github' ? [] : ['openid']), ...scopes].join(' ')],
    ]
  const { ssoUrl, certificates = [], nameIdFormat, acceptUnsolicited = false } = provider
  return [
    [text.ssoUrl, ssoUrl],
    [text.certificates, certificates.length],
    [text.nameIdFormat, nameIdFormat ?? text.anyNameId],
    [text.unsolicited, acceptUnsolicited ? text.yes : text.no],
  ]
}

interface ActionProps {
  readonly provider: IdentityProviderRecord
  readonly onClose: () => void
}

const Switch = ({
  provider: { id, name },
  action,
  onClose,
}: ActionProps & { readonly action: 'enable' | 'disable' }) => {
  const text = useProvidersTexts()
  const disables = action === 'disable'
  const [endSessions, setEndSessions] = useState(false)
  return (
    <CommandDialog
      title={`${text[action]}: ${name}`}
      intro={disables && <p>{text.disableEffect}</p>}
      confirm={text[action]}
      dangerous={disables}
      done={disables ? text.nowDisabled(name) : text.nowEnabled(name)}
      command={() => ({
        method: 'POST',
        path: `/identity-providers/${id}/${action}`,
        ...(disables ? { body: { endSessions } } : {}),
      })}
      fields={() =>
        disables && <Checkbox label={text.endSessions} checked={endSessions} onChange={setEndSessions} />
      }
      {...(disables ? { override: { field: 'force', confirm: text.anyway } } : {})}
      onClose={onClose}
    />
  )
}

const DeleteProvider = ({ provider: { id, name, linkedAccountCount }, onClose }: ActionProps) => {
  const text = useProvidersTexts()
  const [, setLocation] = useLocation()
  return (
    <CommandDialog
      title={text.deleteTitle(name)}
      intro={<p>{text.deleteEffect(linkedAccountCount)}</p>}
      confirm={text.delete}
      dangerous
      done={text.deleted(name)}
      command={() => ({ method: 'DELETE', path: `/identity-providers/${id}` })}
      onClose={onClose}
      onDone={() => setLocation('/console/identity-providers')}
    />
  )
}
