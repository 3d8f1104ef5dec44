import { useRecord } from '../api.ts'
import { PageLink } from '../kit/link.tsx'
import { Loaded, PageHead, Section } from '../kit/record.tsx'
import type { OverviewRecord } from '../records.ts'
import { SignInChart, signInChartTexts } from '../sign-in-chart.tsx'
import { texts, useReader, useTexts } from '../text.tsx'
import { FirstSteps } from './first-steps.tsx'
import styles from './overview.module.css'

const overviewTexts = texts({
  en: {
    title: 'Overview',
    activeUsers: 'Active users',
    invitedUsers: 'Invited users',
    suspendedUsers: 'Suspended users',
    groups: 'Groups',
    applications: 'Active applications',
    sessions: 'Active sessions',
    signIns: 'Sign-ins today',
    failures: 'Failed sign-ins today',
    risk: 'Users at risk',
    requests: 'Undecided access requests',
    reviews: 'Active access reviews',
    webhooks: 'Failing webhooks',
    provisioning: 'Provisioning problems',
    today: 'Since midnight UTC',
  },
  de: {
    title: 'Übersicht',
    activeUsers: 'Aktive Benutzer',
    invitedUsers: 'Eingeladene Benutzer',
    suspendedUsers: 'Gesperrte Benutzer',
    groups: 'Gruppen',
    applications: 'Aktive Anwendungen',
    sessions: 'Aktive Sitzungen',
    signIns: 'Anmeldungen heute',
    failures: 'Fehlgeschlagene Anmeldungen heute',
    risk: 'Benutzer mit Risiko',
    requests: 'Unentschiedene Zugriffsanfragen',
    reviews: 'Laufende Zugriffsprüfungen',
    webhooks: 'Webhooks mit Fehlern',
    provisioning: 'Bereitstellung mit Fehlern',
    today: 'Seit Mitternacht UTC',
  },
})

interface Figure {
  readonly label: string
  readonly value: number
  readonly to?: string
  readonly hint?: string
  /** Whether it deserves attention if it is not zero */
  readonly isProblem?: boolean
}

export const OverviewPage = () => {
  const text = useTexts(overviewTexts)
  const { locale } = useReader()
  const chart = useTexts(signInChartTexts)
  const overview = useRecord<OverviewRecord>('/overview')
  const figures = (of: OverviewRecord): readonly Figure[] => [
    { label: text.activeUsers, value: of.users.active, to: '/console/users?status=active' },
    { label: text.invitedUsers, value: of.users.invited, to: '/console/users?status=invited' },
    { label: text.suspendedUsers, value: of.users.suspended, to: '/console/users?status=suspended' },
    { label: text.groups, value: of.groups, to: '/console/groups' },
    {
      label: text.applications,
      value: of.applications.active,
      to: '/console/applications?status=active',
    },
    { label: text.sessions, value: of.activeSessions },
    { label: text.signIns, value: of.signInsToday, to: '/console/sign-ins', hint: text.today },
    {
      label: text.failures,
      value: of.failuresToday,
      to: '/console/sign-ins?result=failure',
      hint: text.today,
    },
    { label: text.risk, value: of.openRisk, to: '/console/risk-events?state=at_risk', isProblem: true },
    {
      label: text.requests,
      value: of.pendingRequests,
      to: '/console/access-requests?status=pending',
      isProblem: true,
    },
    { label: text.reviews, value: of.openReviews, to: '/console/access-reviews?status=active' },
    { label: text.webhooks, value: of.webhooksFailing, to: '/console/webhooks', isProblem: true },
    {
      label: text.provisioning,
      value: of.provisioningErrors,
      to: '/console/provisioning',
      isProblem: true,
    },
  ]
  return (
    <>
      <PageHead title={text.title} />
      <Loaded query={overview}>{(data) => <FirstSteps emailAvailable={data.emailAvailable} />}</Loaded>
      <Loaded query={overview}>
        {(data) => (
          <ul className={styles['figures']}>
            {figures(data).map(({ label, value, to, hint, isProblem = false }) => (
              <li key={label} className={isProblem && value > 0 ? styles['problem'] : undefined}>
                <span className={styles['value']}>{new Intl.NumberFormat(locale).format(value)}</span>
                {to === undefined ? <span>{label}</span> : <PageLink to={to}>{label}</PageLink>}
                {hint !== undefined && <span className="hint">{hint}</span>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Section title={chart.byDay} hint={chart.days}>
        <SignInChart interval="day" kind="lines" />
      </Section>
    </>
  )
}
