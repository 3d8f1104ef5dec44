/** Enabling and disabling an application, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { ApplicationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { applicationStatusTexts } from './applications-texts.ts'

export const useApplicationActions = (): Readonly<
  Record<'enable' | 'disable', RecordAction<ApplicationRecord>>
> => {
  const text = useTexts(applicationStatusTexts)
  const of = (name: 'enable' | 'disable'): RecordAction<ApplicationRecord> => ({
    label: text[name],
    roles: ['app_admin'],
    applies: ({ status, builtIn }) => !builtIn && (status === 'active') === (name === 'disable'),
    dangerous: name === 'disable',
    effect: name === 'enable' ? text.enableEffect : text.disableEffect,
    command: ({ id }) => ({ method: 'POST', path: `/applications/${id}/${name}` }),
  })
  return { enable: of('enable'), disable: of('disable') }
}
