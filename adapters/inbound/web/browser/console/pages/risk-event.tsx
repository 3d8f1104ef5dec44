import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { useAllowed, type RecordAction } from '../kit/record-action.ts'
import { Time } from '../kit/time.tsx'
import { UserLink } from '../record-links.tsx'
import type { RiskEventRecord } from '../records.ts'
import { RiskLevelBadge, RiskStateBadge } from '../risk-badge.tsx'
import { useVerdicts } from '../risk-commands.ts'
import { riskLevelTexts, riskSentences, riskTexts, riskTypeTexts } from '../risk-texts.ts'
import { useTexts } from '../text.tsx'

export const RiskEventPage = ({ id }: { readonly id: string }) => {
  const riskEvent = useRecord<RiskEventRecord>(`/risk-events/${id}`)
  return <LoadedPage query={riskEvent}>{(data) => <LoadedRiskEvent riskEvent={data} />}</LoadedPage>
}

const LoadedRiskEvent = ({ riskEvent }: { readonly riskEvent: RiskEventRecord }) => {
  const text = useTexts(riskTexts)
  const types = useTexts(riskTypeTexts)
  const levels = useTexts(riskLevelTexts)
  const sentences = useTexts(riskSentences)
  const offered = useAllowed(Object.values(useVerdicts()))
  const [verdict, setVerdict] = useState<RecordAction<RiskEventRecord> | null>(null)
  const { id, userId, type, level, state, signInEventId, sessionId, detail } = riskEvent
  const { note: reported, ...facts } = detail
  return (
    <>
      <PageHead
        title={types[type]}
        badge={
          <>
            <RiskLevelBadge level={level} /> <RiskStateBadge state={state} />
          </>
        }
        lead={userId === null ? text.everyone : <UserLink id={userId} />}
        actions={offered
          .filter(({ applies }) => applies(riskEvent))
          .map((action) => (
            <Button
              key={action.label}
              small
              look={action.dangerous === true ? 'danger' : 'plain'}
              onClick={() => setVerdict(action)}
            >
              {action.label}
            </Button>
          ))}
      />
      <Section title={text.what}>
        <p>{sentences[type](facts)}</p>
        {reported !== undefined && <blockquote>{reported}</blockquote>}
        <Facts
          facts={[
            [text.detected, <Time key="detected" value={riskEvent.detectedAt} />],
            [text.level, levels[level]],
            [text.address, riskEvent.ip],
            [text.place, riskEvent.location],
            [
              text.signIn,
              signInEventId && (
                <PageLink key="sign-in" to={`/console/sign-ins/${signInEventId}`}>
                  <code>{signInEventId}</code>
                </PageLink>
              ),
            ],
            [
              text.session,
              sessionId && (
                <PageLink key="session" to={`/console/sessions/${sessionId}`}>
                  <code>{sessionId}</code>
                </PageLink>
              ),
            ],
            [text.resolved, riskEvent.resolvedAt && <Time key="resolved" value={riskEvent.resolvedAt} />],
            [
              text.resolvedBy,
              riskEvent.resolvedBySignInEventId === null ? (
                riskEvent.resolvedBy && <UserLink key="by" id={riskEvent.resolvedBy} />
              ) : (
                <PageLink key="passkey" to={`/console/sign-ins/${riskEvent.resolvedBySignInEventId}`}>
                  <code>{riskEvent.resolvedBySignInEventId}</code>
                </PageLink>
              ),
            ],
            [text.note, riskEvent.resolvedNote],
            [text.riskEventId, <code key="id">{id}</code>],
          ]}
        />
      </Section>
      <Section title={text.history}>
        <AuditTable path="/audit" fixed={{ targetType: 'risk_event', targetId: id }} />
      </Section>
      {verdict !== null && (
        <ActionDialog
          action={verdict}
          item={riskEvent}
          title={verdict.label}
          done={text.done}
          onClose={() => setVerdict(null)}
        />
      )}
    </>
  )
}
