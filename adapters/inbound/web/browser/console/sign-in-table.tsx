/** Sign-in attempts: when, how, from where, and why one failed. */
import { Badge } from './kit/badge.tsx'
import { PageLink } from './kit/link.tsx'
import { RecordList, type Column, type Filter } from './kit/list.tsx'
import { Time } from './kit/time.tsx'
import type { SignInRecord } from './records.ts'
import { reasonTexts } from './sign-in-reasons.ts'
import { texts, useTexts } from './text.tsx'

type Result = SignInRecord['result']
type Method = NonNullable<SignInRecord['method']>

export const signInTexts = texts({
  en: {
    label: 'Sign-ins',
    time: 'Time',
    user: 'User',
    result: 'Result',
    method: 'Method',
    address: 'Address',
    browser: 'Browser',
    empty: 'No sign-ins.',
    unknownUser: 'Unknown address',
    success: 'Success',
    failure: 'Failed',
    interrupted: 'Interrupted',
    passkey: 'Passkey',
    security_key: 'Security key',
    authenticator_code: 'Authenticator app',
    recovery_code: 'Recovery code',
    magic_link: 'Sign-in link',
    identity_provider: 'Other identity provider',
    enrollment_link: 'Invitation link',
    device_code: 'Code of another device',
    session: 'Existing session',
  } satisfies Record<Result | Method, string> & Record<string, string>,
  de: {
    label: 'Anmeldungen',
    time: 'Zeit',
    user: 'Benutzer',
    result: 'Ergebnis',
    method: 'Methode',
    address: 'Adresse',
    browser: 'Browser',
    empty: 'Keine Anmeldungen.',
    unknownUser: 'Unbekannte Adresse',
    success: 'Erfolgreich',
    failure: 'Fehlgeschlagen',
    interrupted: 'Abgebrochen',
    passkey: 'Passkey',
    security_key: 'Sicherheitsschlüssel',
    authenticator_code: 'Authenticator-App',
    recovery_code: 'Wiederherstellungscode',
    magic_link: 'Anmeldelink',
    identity_provider: 'Anderer Identitätsanbieter',
    enrollment_link: 'Einladungslink',
    device_code: 'Code eines anderen Geräts',
    session: 'Bestehende Sitzung',
  },
})

const results = ['success', 'failure', 'interrupted'] as const satisfies Result[]
const methods = [
  'passkey',
  'security_key',
  'authenticator_code',
  'recovery_code',
  'magic_link',
  'identity_provider',
  'enrollment_link',
  'device_code',
  'session',
] as const satisfies Method[]

export const SignInResult = ({ result }: Pick<SignInRecord, 'result'>) => {
  const text = useTexts(signInTexts)
  return (
    <Badge tone={result === 'success' ? 'good' : result === 'failure' ? 'bad' : 'warn'}>{text[result]}</Badge>
  )
}

/** @param withUser whether the list is about several users */
export const SignInTable = ({
  path,
  withUser = false,
}: {
  readonly path: string
  readonly withUser?: boolean
}) => {
  const text = useTexts(signInTexts)
  const reasons = useTexts(reasonTexts)
  const filters: readonly Filter[] = [
    { name: 'result', label: text.result, options: results.map((value) => ({ value, label: text[value] })) },
    { name: 'method', label: text.method, options: methods.map((value) => ({ value, label: text[value] })) },
  ]
  const user: Column<SignInRecord> = {
    name: 'user',
    label: text.user,
    cell: ({ userId, email }) =>
      userId === null ? (
        <>
          {email} <Badge>{text.unknownUser}</Badge>
        </>
      ) : (
        <PageLink to={`/console/users/${userId}`}>{email ?? userId}</PageLink>
      ),
    text: ({ email, userId }) => email ?? userId ?? '',
  }
  const columns: readonly Column<SignInRecord>[] = [
    {
      name: 'time',
      label: text.time,
      cell: ({ id, time }) => (
        <PageLink to={`/console/sign-ins/${id}`}>
          <Time value={time} />
        </PageLink>
      ),
      text: ({ time }) => time,
    },
    ...(withUser ? [user] : []),
    {
      name: 'result',
      label: text.result,
      cell: ({ result, reason }) => (
        <>
          <SignInResult result={result} /> {reason !== null && reasons[reason]}
        </>
      ),
      text: ({ result, reason }) => [result, reason].filter(Boolean).join(': '),
    },
    {
      name: 'method',
      label: text.method,
      cell: ({ method }) => (method === null ? '' : text[method]),
      text: ({ method }) => method ?? '',
    },
    {
      name: 'address',
      label: text.address,
      cell: ({ ip, location }) => [ip, location].filter(Boolean).join(', '),
      text: ({ ip }) => ip ?? '',
    },
    {
      name: 'device',
      label: text.browser,
      cell: ({ device }) => device ?? '',
      text: ({ device }) => device ?? '',
    },
  ]
  return (
    <RecordList<SignInRecord>
      path={path}
      live={withUser}
      label={text.label}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ id }) => id}
      filters={filters}
      empty={text.empty}
    />
  )
}
