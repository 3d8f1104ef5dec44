/** The scopes of an API resource. Each change sends the complete list, made from the version that is shown. */
import { useState } from 'react'
import type { Command } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextArea, TextField } from '../kit/field.tsx'
import { Section } from '../kit/record.tsx'
import type { ApiResourceRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import styles from './api-resource-scopes.module.css'
import { apiResourcesTexts } from './api-resources-texts.ts'

type Scope = ApiResourceRecord['scopes'][number]

type Change = { readonly type: 'add' } | { readonly type: 'describe' | 'remove'; readonly scope: Scope }

const update = ({ id, version }: ApiResourceRecord, scopes: readonly Scope[]): Command => ({
  method: 'PATCH',
  path: `/api-resources/${id}`,
  body: { scopes },
  ifVersion: version,
})

export const ApiResourceScopes = ({
  resource,
  mayWrite,
}: {
  readonly resource: ApiResourceRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(apiResourcesTexts)
  const [change, setChange] = useState<Change | null>(null)
  const close = (): void => setChange(null)
  return (
    <Section
      title={text.scopes}
      hint={resource.scopes.length === 0 ? text.noScopes : text.scopesOf}
      actions={mayWrite && <Button onClick={() => setChange({ type: 'add' })}>{text.addScope}</Button>}
    >
      <ul className={styles['scopes']}>
        {resource.scopes.map((scope) => (
          <li key={scope.name}>
            <span>
              <code>{scope.name}</code>{' '}
              {scope.description !== null && <span className="hint">{scope.description}</span>}
            </span>
            {mayWrite && (
              <span className="actions">
                <Button small onClick={() => setChange({ type: 'describe', scope })}>
                  {text.describe}
                  <span className="visually-hidden"> {scope.name}</span>
                </Button>
                <Button small look="danger" onClick={() => setChange({ type: 'remove', scope })}>
                  {text.remove}
                  <span className="visually-hidden"> {scope.name}</span>
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {change?.type === 'add' && <AddScope resource={resource} onClose={close} />}
      {change?.type === 'describe' && (
        <DescribeScope resource={resource} scope={change.scope} onClose={close} />
      )}
      {change?.type === 'remove' && (
        <CommandDialog
          title={text.removeTitle(change.scope.name)}
          intro={<p>{text.removeEffect}</p>}
          confirm={text.remove}
          dangerous
          done={text.removed(change.scope.name)}
          command={() =>
            update(
              resource,
              resource.scopes.filter(({ name }) => name !== change.scope.name),
            )
          }
          onClose={close}
        />
      )}
    </Section>
  )
}

interface ScopeProps {
  readonly resource: ApiResourceRecord
  readonly onClose: () => void
}

const AddScope = ({ resource, onClose }: ScopeProps) => {
  const text = useTexts(apiResourcesTexts)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  return (
    <CommandDialog
      title={text.addScope}
      intro={<p>{text.addScopeEffect}</p>}
      confirm={text.addScope}
      done={text.scopeAdded(name.trim())}
      command={() =>
        update(resource, [...resource.scopes, { name: name.trim(), description: description.trim() || null }])
      }
      onClose={onClose}
      names={['scopes']}
      fields={(errorOf) => (
        <>
          <TextField
            name="name"
            label={text.scopeName}
            hint={text.scopeNameHint}
            value={name}
            onChange={setName}
            error={errorOf('scopes')}
            required
            autoFocus
          />
          <TextArea
            name="description"
            label={text.description}
            hint={text.optional}
            value={description}
            onChange={setDescription}
          />
        </>
      )}
    />
  )
}

const DescribeScope = ({ resource, scope, onClose }: ScopeProps & { readonly scope: Scope }) => {
  const text = useTexts(apiResourcesTexts)
  const common = useTexts(commonTexts)
  const [description, setDescription] = useState(scope.description ?? '')
  return (
    <CommandDialog
      title={text.describeTitle(scope.name)}
      confirm={common.save}
      done={text.saved}
      command={() =>
        update(
          resource,
          resource.scopes.map((other) =>
            other.name === scope.name ? { name: scope.name, description: description.trim() || null } : other,
          ),
        )
      }
      onClose={onClose}
      names={['scopes']}
      fields={(errorOf) => (
        <TextArea
          name="description"
          label={text.description}
          hint={text.optional}
          value={description}
          onChange={setDescription}
          error={errorOf('scopes')}
        />
      )}
    />
  )
}
