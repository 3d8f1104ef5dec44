import { useState } from 'react'
import { useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { Section } from '../kit/record.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import type { GroupRecord, IdentityProviderRecord } from '../records.ts'
import { useProvidersTexts } from './identity-providers-texts.ts'

export const GroupName = ({ id }: { readonly id: string }) => {
  const group = useRecord<GroupRecord>(`/groups/${id}`)
  return <PageLink to={`/console/groups/${id}`}>{group.data?.name ?? id}</PageLink>
}

interface GroupsProps {
  readonly provider: IdentityProviderRecord
  readonly mayWrite: boolean
}

/** What is about to change: a group is added to one of the lists, or removed from it. */
type Change =
  | { readonly list: 'jitGroupIds' | 'groupMapping' }
  | { readonly list: 'jitGroupIds' | 'groupMapping'; readonly removed: number }

/** The groups that a provider adds its users to. */
export const ProviderGroups = ({ provider, mayWrite }: GroupsProps) => {
  const text = useProvidersTexts()
  const [change, setChange] = useState<Change | null>(null)
  const { jitGroupIds, groupMapping } = provider
  const removal = (list: Change['list'], removed: number) =>
    mayWrite && (
      <Button small onClick={() => setChange({ list, removed })}>
        {text.remove}
      </Button>
    )
  return (
    <>
      <Section
        title={text.mappedGroups}
        hint={text.mappedGroupsHint}
        actions={
          mayWrite && (
            <Button small onClick={() => setChange({ list: 'groupMapping' })}>
              {text.mapGroup}
            </Button>
          )
        }
      >
        {groupMapping.length === 0 && <p>{text.none}</p>}
        <ul>
          {groupMapping.map(({ value, groupId }, index) => (
            <li key={`${value} ${groupId}`}>
              <code>{value}</code> → <GroupName id={groupId} /> {removal('groupMapping', index)}
            </li>
          ))}
        </ul>
      </Section>
      <Section
        title={text.jitGroups}
        hint={text.jitGroupsHint}
        actions={
          mayWrite && (
            <Button small onClick={() => setChange({ list: 'jitGroupIds' })}>
              {text.addGroup}
            </Button>
          )
        }
      >
        {jitGroupIds.length === 0 && <p>{text.none}</p>}
        <ul>
          {jitGroupIds.map((groupId, index) => (
            <li key={groupId}>
              <GroupName id={groupId} /> {removal('jitGroupIds', index)}
            </li>
          ))}
        </ul>
      </Section>
      {change !== null && (
        <ChangeGroups provider={provider} change={change} onClose={() => setChange(null)} />
      )}
    </>
  )
}

const ChangeGroups = ({
  provider,
  change,
  onClose,
}: {
  readonly provider: IdentityProviderRecord
  readonly change: Change
  readonly onClose: () => void
}) => {
  const text = useProvidersTexts()
  const [value, setValue] = useState('')
  const [group, setGroup] = useState<GroupRecord | null>(null)
  const { list } = change
  const isMapping = list === 'groupMapping'
  const body = () => {
    if ('removed' in change)
      return { [list]: (provider[list] as readonly unknown[]).filter((_, at) => at !== change.removed) }
    const groupId = group?.id ?? ''
    return isMapping
      ? { groupMapping: [...provider.groupMapping, { value, groupId }] }
      : { jitGroupIds: [...provider.jitGroupIds, groupId] }
  }
  const add = isMapping ? text.mapGroup : text.addGroup
  const title = 'removed' in change ? text.remove : add
  return (
    <CommandDialog
      title={title}
      intro={<p>{isMapping ? text.mappedGroupsHint : text.jitGroupsHint}</p>}
      confirm={title}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/identity-providers/${provider.id}`,
        body: body(),
        ifVersion: provider.version,
      })}
      onClose={onClose}
      names={[list]}
      fields={(errorOf) =>
        !('removed' in change) && (
          <>
            {isMapping && (
              <TextField name="value" label={text.value} value={value} onChange={setValue} required />
            )}
            <SearchSelect<GroupRecord>
              name="group"
              label={text.group}
              path="/groups"
              value={group}
              none={text.noGroup}
              onChange={setGroup}
              error={errorOf(list)}
            />
          </>
        )
      }
    />
  )
}
