import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextArea, TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApiResourceRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { useDeleteApiResource } from './api-resource-commands.ts'
import { apiResourcesTexts } from './api-resources-texts.ts'
import { linesOf } from '../kit/lines.ts'

export const ApiResourcesPage = () => {
  const text = useTexts(apiResourcesTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const remove = useDeleteApiResource()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<ApiResourceRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/api-resources/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'identifier',
      label: text.identifier,
      cell: ({ identifier }) => identifier,
      text: ({ identifier }) => identifier,
    },
    {
      name: 'scopes',
      label: text.scopeCount,
      cell: ({ scopes }) => scopes.length,
      text: ({ scopes }) => scopes.map(({ name }) => name).join(' '),
    },
    {
      name: 'applications',
      label: text.applications,
      cell: ({ grantCount }) => grantCount,
      text: ({ grantCount }) => String(grantCount),
    },
    {
      name: 'created',
      label: text.createdAt,
      sort: 'createdAt',
      cell: ({ createdAt }) => <Time value={createdAt} relative />,
      text: ({ createdAt }) => createdAt,
    },
  ]
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          )
        }
      />
      <RecordList<ApiResourceRecord>
        path="/api-resources"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        empty={text.empty}
        bulk={{ counted: text.counted, actions: [remove] }}
        filters={[
          { name: 'q', label: common.search },
          { name: 'identifier', label: text.wholeIdentifier },
        ]}
      />
      {creating && <CreateApiResource onClose={() => setCreating(false)} />}
    </>
  )
}

/** A line is a name and, after a space, its description. */
const scopeOf = (line: string) => {
  const [, name = line, description = ''] = /^(\S+)\s+(.+)$/.exec(line) ?? []
  return description === '' ? { name } : { name, description }
}

const CreateApiResource = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(apiResourcesTexts)
  const [, setLocation] = useLocation()
  const [identifier, setIdentifier] = useState('')
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [scopes, setScopes] = useState('')
  return (
    <CommandDialog<ApiResourceRecord>
      title={text.createTitle}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created(name.trim())}
      command={() => ({
        method: 'POST',
        path: '/api-resources',
        body: {
          identifier: identifier.trim(),
          name: name.trim(),
          ...(description.trim() === '' ? {} : { description: description.trim() }),
          scopes: linesOf(scopes).map(scopeOf),
        },
      })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/api-resources/${id}`)}
      names={['identifier', 'name', 'description', 'scopes']}
      fields={(errorOf) => (
        <>
          <TextField
            name="name"
            label={text.name}
            value={name}
            onChange={setName}
            error={errorOf('name')}
            required
            autoFocus
          />
          <TextField
            name="identifier"
            type="url"
            label={text.identifier}
            hint={text.identifierHint}
            value={identifier}
            onChange={setIdentifier}
            error={errorOf('identifier')}
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
          <TextArea
            name="scopes"
            label={text.scopes}
            hint={text.scopesHint}
            value={scopes}
            onChange={setScopes}
            error={errorOf('scopes')}
          />
        </>
      )}
    />
  )
}
