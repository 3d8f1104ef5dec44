import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { ApplicationLink, DeviceLink, RiskEventLink, UserLink } from '../record-links.tsx'
import type { SignInRecord } from '../records.ts'
import { riskTexts } from '../risk-texts.ts'
import { reasonTexts } from '../sign-in-reasons.ts'
import { SignInResult, signInTexts } from '../sign-in-table.tsx'
import { texts, useTexts } from '../text.tsx'
import { usePolicyTexts } from './policy-texts.ts'
import { SignInDecision } from './sign-in-decision.tsx'

const recordTexts = texts({
  en: {
    title: 'Sign-in',
    entered: 'Entered address',
    application: 'Application',
    ownPages: 'The pages of the service itself',
    reason: 'Reason',
    risk: 'Risk',
    none: 'None',
    low: 'Low',
    medium: 'Medium',
    high: 'High',
    location: 'Location',
    userAgent: 'User agent',
    device: 'Device',
    session: 'Session',
    proofs: 'Proofs (amr)',
    signInId: 'Sign-in id',
    correlation: 'Correlation id',
    related: 'In the audit trail',
    relatedHint: 'What the same request caused.',
  } satisfies Record<SignInRecord['risk'], string> & Record<string, string>,
  de: {
    title: 'Anmeldung',
    entered: 'Eingegebene Adresse',
    application: 'Anwendung',
    ownPages: 'Die Seiten des Dienstes selbst',
    reason: 'Grund',
    risk: 'Risiko',
    none: 'Keines',
    low: 'Niedrig',
    medium: 'Mittel',
    high: 'Hoch',
    location: 'Ort',
    userAgent: 'User-Agent',
    device: 'Gerät',
    session: 'Sitzung',
    proofs: 'Nachweise (amr)',
    signInId: 'Anmeldungskennung',
    correlation: 'Korrelationskennung',
    related: 'Im Audit-Protokoll',
    relatedHint: 'Was dieselbe Anfrage bewirkte.',
  },
})

export const SignInPage = ({ id }: { readonly id: string }) => {
  const signIn = useRecord<SignInRecord>(`/sign-ins/${id}`)
  return <LoadedPage query={signIn}>{(data) => <LoadedSignIn signIn={data} />}</LoadedPage>
}

const LoadedSignIn = ({ signIn }: { readonly signIn: SignInRecord }) => {
  const text = useTexts(signInTexts)
  const own = useTexts(recordTexts)
  const reasons = useTexts(reasonTexts)
  const risk = useTexts(riskTexts)
  const policyText = usePolicyTexts()
  const { at } = useMoment()
  const { id, userId, email, appId, result, method, reason, deviceId, sessionId, correlationId } = signIn
  return (
    <>
      <PageHead
        title={own.title}
        badge={<SignInResult result={result} />}
        lead={<Time value={signIn.time} />}
        actions={
          userId !== null &&
          at === null && (
            <PageLink className="button button-small" to={`/console/policies?tab=simulate&signIn=${id}`}>
              {policyText.again}
            </PageLink>
          )
        }
      />
      <Section title={own.title}>
        <Facts
          facts={[
            [text.user, userId === null ? text.unknownUser : <UserLink key="user" id={userId} />],
            [own.entered, email],
            [
              own.application,
              appId === null ? own.ownPages : <ApplicationLink key="application" id={appId} />,
            ],
            [text.method, method && text[method]],
            [own.reason, reason && reasons[reason]],
            [own.risk, own[signIn.risk]],
            [
              risk.title,
              signIn.riskEventIds.length > 0 && (
                <ul key="risk-events">
                  {signIn.riskEventIds.map((riskEventId) => (
                    <li key={riskEventId}>
                      <RiskEventLink id={riskEventId} />
                    </li>
                  ))}
                </ul>
              ),
            ],
            [text.address, signIn.ip],
            [own.location, signIn.location],
            [text.browser, signIn.device],
            [own.userAgent, signIn.userAgent],
            [own.device, deviceId && <DeviceLink key="device" id={deviceId} />],
            [
              own.session,
              sessionId && (
                <PageLink key="session" to={`/console/sessions/${sessionId}`}>
                  <code>{sessionId}</code>
                </PageLink>
              ),
            ],
            [own.proofs, signIn.amr.join(', ')],
            [own.signInId, <code key="id">{id}</code>],
            [own.correlation, <code key="correlation">{correlationId}</code>],
          ]}
        />
      </Section>
      {signIn.decision !== null && <SignInDecision decision={signIn.decision} />}
      <Section title={own.related} hint={own.relatedHint}>
        <AuditTable path="/audit" fixed={{ correlationId }} />
      </Section>
    </>
  )
}
