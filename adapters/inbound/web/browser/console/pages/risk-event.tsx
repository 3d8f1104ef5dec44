import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { TextArea } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, Loaded, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { UserLink } from '../record-links.tsx'
import type { RiskEventRecord } from '../records.ts'
import { RiskLevelBadge, RiskStateBadge } from '../risk-badge.tsx'
import { riskLevelTexts, riskSentences, riskTexts, riskTypeTexts } from '../risk-texts.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'

type Verdict = 'dismiss' | 'confirmSafe' | 'confirmCompromised'

const paths: Readonly<Record<Verdict, string>> = {
  dismiss: 'dismiss',
  confirmSafe: 'confirm-safe',
  confirmCompromised: 'confirm-compromised',
}

/** The verdicts that would change something. */
const verdictsOn = ({ state, userId }: RiskEventRecord): readonly Verdict[] => [
  ...(state === 'dismissed' ? [] : ['dismiss' as const]),
  ...(state === 'confirmed_safe' ? [] : ['confirmSafe' as const]),
  ...(state === 'confirmed_compromised' || userId === null ? [] : ['confirmCompromised' as const]),
]

export const RiskEventPage = ({ id }: { readonly id: string }) => {
  const riskEvent = useRecord<RiskEventRecord>(`/risk-events/${id}`)
  return <Loaded query={riskEvent}>{(data) => <LoadedRiskEvent riskEvent={data} />}</Loaded>
}

const LoadedRiskEvent = ({ riskEvent }: { readonly riskEvent: RiskEventRecord }) => {
  const text = useTexts(riskTexts)
  const types = useTexts(riskTypeTexts)
  const levels = useTexts(riskLevelTexts)
  const sentences = useTexts(riskSentences)
  const { at } = useMoment()
  const mayResolve = useMay('security_admin') && at === null
  const [verdict, setVerdict] = useState<Verdict | null>(null)
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
        actions={
          mayResolve &&
          verdictsOn(riskEvent).map((one) => (
            <Button
              key={one}
              small
              {...(one === 'confirmCompromised' ? { look: 'danger' as const } : {})}
              onClick={() => setVerdict(one)}
            >
              {text[one]}
            </Button>
          ))
        }
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
      {verdict !== null && <ResolveDialog id={id} verdict={verdict} onClose={() => setVerdict(null)} />}
    </>
  )
}

const ResolveDialog = ({
  id,
  verdict,
  onClose,
}: {
  readonly id: string
  readonly verdict: Verdict
  readonly onClose: () => void
}) => {
  const text = useTexts(riskTexts)
  const [note, setNote] = useState('')
  return (
    <CommandDialog
      title={text[verdict]}
      intro={<p>{text[`${verdict}Effect`]}</p>}
      confirm={text[verdict]}
      dangerous={verdict === 'confirmCompromised'}
      done={text.done}
      command={() => ({
        method: 'POST',
        path: `/risk-events/${id}/${paths[verdict]}`,
        body: note.trim() === '' ? {} : { note: note.trim() },
      })}
      onClose={onClose}
      names={['note']}
      fields={(errorOf) => (
        <TextArea
          name="note"
          label={text.note}
          hint={text.noteHint}
          value={note}
          onChange={setNote}
          error={errorOf('note')}
        />
      )}
    />
  )
}
