/** The settings of an API resource, and the applications that implement it. */
import { useState } from 'react'
import { useRecord, type Command } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import styles from '../kit/kit.module.css'
import { Picker } from '../kit/picker.tsx'
import { Facts, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { ApplicationLink } from '../record-links.tsx'
import type { ApiResourceRecord, ApplicationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { apiResourcesTexts } from './api-resources-texts.ts'

interface Named {
  readonly id: string
  readonly name: string
}

const setOwners = ({ id, version }: ApiResourceRecord, ownerApplicationIds: readonly string[]): Command => ({
  method: 'PATCH',
  path: `/api-resources/${id}`,
  body: { ownerApplicationIds },
  ifVersion: version,
})

export const ApiResourceSettings = ({
  resource,
  mayWrite,
}: {
  readonly resource: ApiResourceRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(apiResourcesTexts)
  const { ownerApplicationIds, accessTokenLifetimeSeconds } = resource
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Named | null>(null)
  return (
    <>
      <Section title={text.settings}>
        <Copy label={text.identifier} value={resource.identifier} />
        <Facts
          facts={[
            [text.description, resource.description],
            [text.lifetime, accessTokenLifetimeSeconds ?? text.ofApplication],
            [text.createdAt, <Time key="created" value={resource.createdAt} />],
            [text.updatedAt, <Time key="updated" value={resource.updatedAt} />],
            [text.resourceId, <code key="id">{resource.id}</code>],
          ]}
        />
      </Section>
      <Section
        title={text.owners}
        hint={ownerApplicationIds.length === 0 ? text.noOwners : text.ownersHint}
        actions={mayWrite && <Button onClick={() => setAdding(true)}>{text.addOwner}</Button>}
      >
        <ul className={styles['picks']}>
          {ownerApplicationIds.map((id) => (
            <li key={id}>
              <ApplicationLink id={id} />
              {mayWrite && <RemoveOwner id={id} onClick={setRemoving} />}
            </li>
          ))}
        </ul>
      </Section>
      {adding && (
        <Picker<ApplicationRecord>
          title={text.addOwner}
          intro={text.ownersHint}
          path="/applications"
          detail={({ description }) => description ?? ''}
          pick={text.addOwnerOne}
          command={({ id }) => setOwners(resource, [...new Set([...ownerApplicationIds, id])])}
          done={({ name }) => text.ownerAdded(name)}
          empty={text.noApplications}
          onClose={() => setAdding(false)}
        />
      )}
      {removing !== null && (
        <CommandDialog
          title={text.removeTitle(removing.name)}
          intro={<p>{text.removeOwnerEffect}</p>}
          confirm={text.remove}
          dangerous
          done={text.removed(removing.name)}
          command={() =>
            setOwners(
              resource,
              ownerApplicationIds.filter((id) => id !== removing.id),
            )
          }
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}

const RemoveOwner = ({ id, onClick }: { readonly id: string; readonly onClick: (owner: Named) => void }) => {
  const text = useTexts(apiResourcesTexts)
  const { data } = useRecord<ApplicationRecord>(`/applications/${id}`)
  const name = data?.name ?? id
  return (
    <Button small look="danger" onClick={() => onClick({ id, name })}>
      {text.remove}
      <span className="visually-hidden"> {name}</span>
    </Button>
  )
}
