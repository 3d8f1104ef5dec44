/** Which applications can request which scopes of an API resource. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Checkbox, FieldGroup } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Section } from '../kit/record.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import { Time } from '../kit/time.tsx'
import { UserLink } from '../record-links.tsx'
import type { ApiGrantRecord, ApiResourceRecord, ApplicationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { apiResourcesTexts } from './api-resources-texts.ts'

/** An application, and the scopes that it has. */
interface Holder {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
}

const holderOf = ({ applicationId, applicationName, scopes }: ApiGrantRecord): Holder => ({
  id: applicationId,
  name: applicationName,
  scopes,
})

export const ApiResourceGrants = ({
  resource,
  mayWrite,
}: {
  readonly resource: ApiResourceRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(apiResourcesTexts)
  const [choosing, setChoosing] = useState(false)
  const [granting, setGranting] = useState<Holder | null>(null)
  const [revoking, setRevoking] = useState<Holder | null>(null)
  const path = `/api-resources/${resource.id}/grants`
  const columns: readonly Column<ApiGrantRecord>[] = [
    {
      name: 'application',
      label: text.application,
      cell: ({ applicationId, applicationName }) => (
        <PageLink to={`/console/applications/${applicationId}`}>{applicationName}</PageLink>
      ),
      text: ({ applicationName }) => applicationName,
    },
    {
      name: 'scopes',
      label: text.scopes,
      cell: ({ scopes }) => scopes.join(', '),
      text: ({ scopes }) => scopes.join(' '),
    },
    {
      name: 'since',
      label: text.since,
      cell: ({ grantedAt }) => <Time value={grantedAt} relative />,
      text: ({ grantedAt }) => grantedAt,
    },
    {
      name: 'by',
      label: text.by,
      cell: ({ grantedBy }) => grantedBy !== null && <UserLink id={grantedBy} />,
      text: ({ grantedBy }) => grantedBy ?? '',
    },
    ...(mayWrite
      ? [
          {
            name: 'change',
            label: text.change,
            cell: (grant: ApiGrantRecord) => (
              <span className="actions">
                <Button small onClick={() => setGranting(holderOf(grant))}>
                  {text.change}
                  <span className="visually-hidden"> {grant.applicationName}</span>
                </Button>
                <Button small look="danger" onClick={() => setRevoking(holderOf(grant))}>
                  {text.revoke}
                  <span className="visually-hidden"> {grant.applicationName}</span>
                </Button>
              </span>
            ),
          },
        ]
      : []),
  ]
  return (
    <Section
      title={text.applications}
      hint={resource.scopes.length === 0 ? text.noScopes : undefined}
      actions={
        mayWrite &&
        resource.scopes.length > 0 && <Button onClick={() => setChoosing(true)}>{text.grant}</Button>
      }
    >
      <RecordList<ApiGrantRecord>
        path={path}
        label={text.applications}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ applicationName }) => applicationName}
        empty={text.noGrants}
      />
      {choosing && (
        <ChooseApplication
          apiResourceId={resource.id}
          onClose={() => setChoosing(false)}
          onChosen={(holder) => {
            setChoosing(false)
            setGranting(holder)
          }}
        />
      )}
      {granting !== null && (
        <GrantScopes resource={resource} holder={granting} onClose={() => setGranting(null)} />
      )}
      {revoking !== null && (
        <CommandDialog
          title={text.revokeTitle(revoking.name)}
          intro={<p>{text.revokeEffect}</p>}
          confirm={text.revoke}
          dangerous
          done={text.revoked(revoking.name)}
          command={() => ({ method: 'DELETE', path: `${path}/${revoking.id}` })}
          onClose={() => setRevoking(null)}
        />
      )}
    </Section>
  )
}

/** The scopes come in a second step, because they start as those that the application has. */
const ChooseApplication = ({
  apiResourceId,
  onClose,
  onChosen,
}: {
  readonly apiResourceId: string
  readonly onClose: () => void
  readonly onChosen: (holder: Holder) => void
}) => {
  const text = useTexts(apiResourcesTexts)
  const common = useTexts(commonTexts)
  const [application, setApplication] = useState<ApplicationRecord | null>(null)
  return (
    <Dialog title={text.grantTitle} onClose={onClose}>
      <SearchSelect<ApplicationRecord>
        name="application"
        label={text.application}
        path="/applications"
        query={{ protocol: 'oidc' }}
        value={application}
        none={text.chooseApplication}
        onChange={setApplication}
      />
      <div className="actions">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button
          look="primary"
          disabled={application === null}
          onClick={() => {
            if (application?.protocol !== 'oidc') return
            const { id, name, apiGrants } = application
            const scopes = apiGrants.find((grant) => grant.apiResourceId === apiResourceId)?.scopes ?? []
            onChosen({ id, name, scopes })
          }}
        >
          {common.next}
        </Button>
      </div>
    </Dialog>
  )
}

const GrantScopes = ({
  resource,
  holder,
  onClose,
}: {
  readonly resource: ApiResourceRecord
  readonly holder: Holder
  readonly onClose: () => void
}) => {
  const text = useTexts(apiResourcesTexts)
  const common = useTexts(commonTexts)
  const [chosen, setChosen] = useState(holder.scopes)
  return (
    <CommandDialog
      title={`${text.grant}: ${holder.name}`}
      intro={<p>{text.grantIntro}</p>}
      confirm={common.save}
      done={text.granted(holder.name)}
      command={() => ({
        method: 'PUT',
        path: `/api-resources/${resource.id}/grants/${holder.id}`,
        body: { scopes: chosen },
      })}
      onClose={onClose}
      fields={() => (
        <FieldGroup label={text.scopes}>
          {resource.scopes.map(({ name, description }) => (
            <Checkbox
              key={name}
              label={name}
              hint={description ?? undefined}
              checked={chosen.includes(name)}
              onChange={(checked) =>
                setChosen(checked ? [...chosen, name] : chosen.filter((other) => other !== name))
              }
            />
          ))}
        </FieldGroup>
      )}
    />
  )
}
