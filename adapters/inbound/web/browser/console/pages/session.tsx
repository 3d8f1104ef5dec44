import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { ApplicationLink, DeviceLink, UserLink } from '../record-links.tsx'
import type { SessionRecord } from '../records.ts'
import { EndSession, sessionTexts } from '../session-table.tsx'
import { useMay } from '../session.tsx'
import { texts, useTexts } from '../text.tsx'
import { userTexts } from './user-texts.ts'

const recordTexts = texts({
  en: {
    title: 'Session',
    started: 'Started',
    authenticated: 'Last sign-in',
    endedAt: 'Ended',
    reason: 'Reason',
    sign_out: 'The user signed out',
    user_revoked: 'The user ended it elsewhere',
    admin_revoked: 'An administrator ended it',
    application_logout: 'Signed out from an application',
    provider_logout: 'Signed out at the identity provider',
    method_reset: 'A sign-in method was removed',
    policy: 'The device was blocked',
    risk: 'The account is compromised',
    user_suspended: 'The user was suspended',
    user_deleted: 'The user was deleted',
    strength: 'Strength',
    federated: 'Other identity provider',
    proofs: 'Proofs (amr)',
    location: 'Location',
    sessionId: 'Session id',
    applications: 'Applications',
    applicationsHint: 'What the user opened in this session.',
    noApplications: 'None so far.',
    history: 'History',
  },
  de: {
    title: 'Sitzung',
    started: 'Begonnen',
    authenticated: 'Letzte Anmeldung',
    endedAt: 'Beendet',
    reason: 'Grund',
    sign_out: 'Der Benutzer hat sich abgemeldet',
    user_revoked: 'Der Benutzer hat sie anderswo beendet',
    admin_revoked: 'Ein Administrator hat sie beendet',
    application_logout: 'Von einer Anwendung aus abgemeldet',
    provider_logout: 'Beim Identitätsanbieter abgemeldet',
    method_reset: 'Eine Anmeldemethode wurde entfernt',
    policy: 'Das Gerät wurde gesperrt',
    risk: 'Das Konto ist kompromittiert',
    user_suspended: 'Der Benutzer wurde gesperrt',
    user_deleted: 'Der Benutzer wurde gelöscht',
    strength: 'Stärke',
    federated: 'Anderer Identitätsanbieter',
    proofs: 'Nachweise (amr)',
    location: 'Ort',
    sessionId: 'Sitzungskennung',
    applications: 'Anwendungen',
    applicationsHint: 'Was in dieser Sitzung geöffnet wurde.',
    noApplications: 'Bisher keine.',
    history: 'Verlauf',
  },
})

export const SessionPage = ({ id }: { readonly id: string }) => {
  const session = useRecord<SessionRecord>(`/sessions/${id}`)
  return <LoadedPage query={session}>{(data) => <LoadedSession session={data} />}</LoadedPage>
}

const knownReasons = [
  ...([
    'sign_out',
    'user_revoked',
    'admin_revoked',
    'application_logout',
    'provider_logout',
    'method_reset',
  ] as const),
  ...(['policy', 'risk', 'user_suspended', 'user_deleted'] as const),
]

const LoadedSession = ({ session }: { readonly session: SessionRecord }) => {
  const text = useTexts(userTexts)
  const own = useTexts(recordTexts)
  const table = useTexts(sessionTexts)
  const { at } = useMoment()
  const mayEnd = useMay('security_admin', 'helpdesk_admin', 'user_admin') && at === null
  const [ending, setEnding] = useState(false)
  const { id, userId, status, endedAt, endReason, deviceId, strength, applications } = session
  const reason = knownReasons.find((known) => known === endReason)
  return (
    <>
      <PageHead
        title={own.title}
        badge={<Badge tone={status === 'active' ? 'good' : 'neutral'}>{text[status]}</Badge>}
        lead={<UserLink id={userId} />}
        actions={
          mayEnd &&
          status === 'active' && (
            <Button small look="danger" onClick={() => setEnding(true)}>
              {table.end}
            </Button>
          )
        }
      />
      <Section title={own.title}>
        <Facts
          facts={[
            [own.started, <Time key="started" value={session.createdAt} />],
            [own.authenticated, <Time key="authenticated" value={session.authTime} />],
            [text.lastSeen, <Time key="seen" value={session.lastSeenAt} relative />],
            [table.expires, endedAt === null ? <Time key="expires" value={session.expiresAt} /> : null],
            [own.endedAt, endedAt && <Time key="ended" value={endedAt} />],
            [own.reason, reason === undefined ? null : own[reason]],
            [own.strength, strength === 'federated' ? own.federated : text[strength]],
            [own.proofs, session.amr.join(', ')],
            [text.address, session.ip],
            [own.location, session.location],
            [text.browser, session.userAgent],
            [text.device, deviceId && <DeviceLink key="device" id={deviceId} />],
            [own.sessionId, <code key="id">{id}</code>],
          ]}
        />
      </Section>
      <Section title={own.applications} hint={own.applicationsHint}>
        {applications.length === 0 ? (
          <p className="hint">{own.noApplications}</p>
        ) : (
          <ul>
            {applications.map(({ appId, lastAt }) => (
              <li key={appId}>
                <ApplicationLink id={appId} />{' '}
                <span className="hint">
                  <Time value={lastAt} relative />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={own.history}>
        <AuditTable path="/audit" fixed={{ targetType: 'session', targetId: id }} />
      </Section>
      {ending && <EndSession session={session} onClose={() => setEnding(false)} />}
    </>
  )
}
