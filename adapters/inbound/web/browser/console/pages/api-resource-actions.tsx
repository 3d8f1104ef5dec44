/** The dialogs of an API resource: its fields, its end. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextArea, TextField } from '../kit/field.tsx'
import type { ApiResourceRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { useDeleteApiResource } from './api-resource-commands.ts'
import { apiResourcesTexts } from './api-resources-texts.ts'

interface ActionProps {
  readonly resource: ApiResourceRecord
  readonly onClose: () => void
}

export const EditApiResource = ({ resource, onClose }: ActionProps) => {
  const text = useTexts(apiResourcesTexts)
  const common = useTexts(commonTexts)
  const before = {
    name: resource.name,
    description: resource.description ?? '',
    lifetime: resource.accessTokenLifetimeSeconds === null ? '' : String(resource.accessTokenLifetimeSeconds),
  }
  const [name, setName] = useState(before.name)
  const [description, setDescription] = useState(before.description)
  const [lifetime, setLifetime] = useState(before.lifetime)
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/api-resources/${resource.id}`,
        // Only what was changed, so that a change by someone else meanwhile is kept.
        body: {
          ...(name === before.name ? {} : { name: name.trim() }),
          ...(description === before.description ? {} : { description: description.trim() || null }),
          ...(lifetime === before.lifetime
            ? {}
            : { accessTokenLifetimeSeconds: lifetime.trim() === '' ? null : Number(lifetime) }),
        },
      })}
      onClose={onClose}
      names={['name', 'description', 'accessTokenLifetimeSeconds']}
      fields={(errorOf) => (
        <>
          <TextField
            name="name"
            label={text.name}
            value={name}
            onChange={setName}
            error={errorOf('name')}
            required
          />
          <TextArea
            name="description"
            label={text.description}
            hint={text.optional}
            value={description}
            onChange={setDescription}
            error={errorOf('description')}
          />
          <TextField
            name="accessTokenLifetimeSeconds"
            type="number"
            label={text.lifetime}
            hint={text.lifetimeHint}
            value={lifetime}
            onChange={setLifetime}
            error={errorOf('accessTokenLifetimeSeconds')}
          />
        </>
      )}
    />
  )
}

export const DeleteApiResource = ({ resource, onClose }: ActionProps) => {
  const text = useTexts(apiResourcesTexts)
  const { name, grantCount } = resource
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={useDeleteApiResource(text.deleteEffect)}
      item={resource}
      title={text.deleteTitle(name)}
      detail={grantCount > 0 && <p>{text.deleteBlocked(grantCount)}</p>}
      done={text.deleted(name)}
      onClose={onClose}
      onDone={() => setLocation('/console/api-resources')}
    />
  )
}
