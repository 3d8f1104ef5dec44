import { useList } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { Section } from '../kit/record.tsx'
import type { ApplicationRecord, ListedUserRecord, SignInRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import styles from './overview.module.css'

const stepTexts = texts({
  en: {
    title: 'First steps',
    hint: 'This list disappears when everything is done.',
    done: 'done',
    open: 'to do',
    application: 'Connect the first application',
    group: 'Create a group with you as its member',
    assign: 'Assign a group to the application: its members can then sign in to it',
    test: 'Test the sign-in, then sign in to the application',
    users: 'Invite the people who will sign in',
    administrator: 'Make somebody else a global administrator too, in case you lose your passkey',
    email: 'Let the service send email (SVC_SMTP_URL), so that invitations and notices arrive',
    backup:
      'Also set up a regular backup on the server with “svc backup”. It contains the secret key, without which the data cannot be read.',
  },
  de: {
    title: 'Erste Schritte',
    hint: 'Diese Liste verschwindet, wenn alles erledigt ist.',
    done: 'erledigt',
    open: 'offen',
    application: 'Verbinden Sie die erste Anwendung',
    group: 'Legen Sie eine Gruppe mit Ihnen als Mitglied an',
    assign: 'Weisen Sie der Anwendung eine Gruppe zu: Deren Mitglieder können sich dann bei ihr anmelden',
    test: 'Testen Sie die Anmeldung, und melden Sie sich dann bei der Anwendung an',
    users: 'Laden Sie die Personen ein, die sich anmelden werden',
    administrator:
      'Machen Sie eine weitere Person zum globalen Administrator, falls Sie Ihren Passkey verlieren',
    email: 'Lassen Sie den Dienst E-Mails senden (SVC_SMTP_URL), damit Einladungen und Hinweise ankommen',
    backup:
      'Richten Sie auf dem Server außerdem mit „svc backup“ eine regelmäßige Sicherung ein. Sie enthält den geheimen Schlüssel, ohne den die Daten nicht lesbar sind.',
  },
})

interface Step {
  readonly label: string
  readonly to?: string
  readonly isDone: boolean
}

/** What a new installation still needs, from its records, so that nobody has to tick it off. */
export const FirstSteps = ({ emailAvailable }: { readonly emailAvailable: boolean }) => {
  const text = useTexts(stepTexts)
  const users = useList<ListedUserRecord>('/users', { limit: '2' })
  const administrators = useList<ListedUserRecord>('/users', { role: 'global_admin', limit: '2' })
  const applications = useList<ApplicationRecord>('/applications', { limit: '2' })
  const groups = useList<{ readonly id: string }>('/groups', { limit: '1' })
  const own = applications.data?.items.find(({ builtIn }) => !builtIn)
  const ownId = own?.id ?? ''
  const assigned = useList<{ readonly id: string }>(
    '/groups',
    { applicationId: ownId, limit: '1' },
    false,
    own !== undefined,
  )
  const signIns = useList<SignInRecord>(
    '/sign-ins',
    { appId: ownId, result: 'success', limit: '1' },
    false,
    own !== undefined,
  )
  if (
    users.data === undefined ||
    administrators.data === undefined ||
    applications.data === undefined ||
    groups.data === undefined ||
    (own !== undefined && (assigned.data === undefined || signIns.data === undefined))
  )
    return null
  const page = own === undefined ? '/console/applications' : `/console/applications/${own.id}`
  const steps: readonly Step[] = [
    { label: text.application, to: '/console/applications', isDone: own !== undefined },
    { label: text.group, to: '/console/groups', isDone: groups.data.items.length > 0 },
    {
      label: text.assign,
      to: `${page}?tab=access`,
      isDone: own !== undefined && assigned.data !== undefined && assigned.data.items.length > 0,
    },
    {
      label: text.test,
      to: `${page}?tab=test`,
      isDone: own !== undefined && signIns.data !== undefined && signIns.data.items.length > 0,
    },
    { label: text.users, to: '/console/users', isDone: users.data.items.length > 1 },
    { label: text.administrator, to: '/console/users', isDone: administrators.data.items.length > 1 },
    { label: text.email, isDone: emailAvailable },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  return (
    <Section title={text.title} hint={text.hint}>
      <ol className={styles['steps']}>
        {steps.map(({ label, to, isDone }) => (
          <li key={label}>
            <Badge tone={isDone ? 'good' : 'neutral'}>{isDone ? text.done : text.open}</Badge>{' '}
            {isDone || to === undefined ? label : <PageLink to={to}>{label}</PageLink>}
          </li>
        ))}
      </ol>
      <p className="hint">{text.backup}</p>
    </Section>
  )
}
