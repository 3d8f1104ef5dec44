/** A sign-in with an identity provider that ends with a report of each step. */
import { useSearchParams } from 'wouter'
import { useCommand, useRecord } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { PageLink } from '../kit/link.tsx'
import { Problem } from '../kit/problem.tsx'
import { Facts, Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { IdentityProviderRecord, IdentityProviderTestRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'
import { GroupName } from './identity-provider-groups.tsx'

type Decision = NonNullable<IdentityProviderTestRecord['account']>['decision']

const decisionTexts = texts({
  en: {
    sign_in: 'Signs in: the account is linked',
    enroll: 'Signs in an invited user for the first time, and links the account',
    link: 'Links the account to the user with this address, who has no other way to sign in',
    confirm: 'Asks the user with this address to confirm with another sign-in method, then links the account',
    create: 'Creates a user',
    refuse: 'Refused',
  } satisfies Record<Decision, string>,
  de: {
    sign_in: 'Meldet an: Das Konto ist verknüpft',
    enroll: 'Meldet einen eingeladenen Benutzer zum ersten Mal an und verknüpft das Konto',
    link: 'Verknüpft das Konto mit dem Benutzer dieser Adresse, der sich anders nicht anmelden kann',
    confirm:
      'Bittet den Benutzer dieser Adresse, mit einem anderen Anmeldeverfahren zu bestätigen, und verknüpft dann das Konto',
    create: 'Legt einen Benutzer an',
    refuse: 'Abgelehnt',
  },
})

const refusalTexts = texts({
  en: {
    ERR_ACCOUNT_SUSPENDED: 'The user is suspended here.',
    ERR_NOT_LINKED: 'No user is linked to this account, and the provider may not link or create one.',
    ERR_EMAIL_NOT_VERIFIED: 'The provider did not verify the address, or is not trusted to.',
    ERR_DOMAIN_NOT_ALLOWED: 'The domain of the address is not a verified domain of this provider.',
  },
  de: {
    ERR_ACCOUNT_SUSPENDED: 'Der Benutzer ist hier gesperrt.',
    ERR_NOT_LINKED:
      'Kein Benutzer ist mit diesem Konto verknüpft, und der Anbieter darf keinen verknüpfen oder anlegen.',
    ERR_EMAIL_NOT_VERIFIED:
      'Der Anbieter hat die Adresse nicht bestätigt, oder ihm wird darin nicht vertraut.',
    ERR_DOMAIN_NOT_ALLOWED: 'Die Domain der Adresse ist keine bestätigte Domain dieses Anbieters.',
  },
})

const testTexts = texts({
  en: {
    title: 'Test sign-in',
    hint: 'Signs in at the provider, and shows what it says and what would come of it. Nothing is changed, and you stay signed in as you are.',
    start: 'Test sign-in',
    disabled: 'Enable the provider to test it.',
    response: 'Response',
    accepted: 'Accepted',
    rejected: 'Rejected',
    problem: 'Problem',
    tested: 'Tested',
    authTime: 'Authenticated there',
    claims: 'Claims as received',
    mapped: 'What the mapping makes of them',
    subject: 'Subject',
    email: 'Email address',
    emailVerified: 'Address verified',
    yes: 'Yes',
    no: 'No',
    unsaid: 'The provider does not say',
    groupsClaim: 'Groups claim',
    noGroups: 'There is no such claim',
    authentication: 'Authentication (acr, amr)',
    strength: 'Counts as phishing-resistant',
    account: 'Account here',
    decision: 'A sign-in',
    reason: 'Reason',
    user: 'User',
    groups: 'Groups through the provider',
    none: 'None',
  },
  de: {
    title: 'Testanmeldung',
    hint: 'Meldet beim Anbieter an und zeigt, was er sagt und was daraus würde. Nichts wird geändert, und Ihre Sitzung bleibt, wie sie ist.',
    start: 'Anmeldung testen',
    disabled: 'Aktivieren Sie den Anbieter, um ihn zu testen.',
    response: 'Antwort',
    accepted: 'Angenommen',
    rejected: 'Abgelehnt',
    problem: 'Problem',
    tested: 'Getestet',
    authTime: 'Dort angemeldet',
    claims: 'Claims, wie empfangen',
    mapped: 'Was die Zuordnung daraus macht',
    subject: 'Subject',
    email: 'E-Mail-Adresse',
    emailVerified: 'Adresse bestätigt',
    yes: 'Ja',
    no: 'Nein',
    unsaid: 'Der Anbieter sagt es nicht',
    groupsClaim: 'Gruppen-Claim',
    noGroups: 'Es gibt keinen solchen Claim',
    authentication: 'Authentifizierung (acr, amr)',
    strength: 'Gilt als Phishing-resistent',
    account: 'Konto hier',
    decision: 'Eine Anmeldung',
    reason: 'Grund',
    user: 'Benutzer',
    groups: 'Gruppen durch den Anbieter',
    none: 'Keine',
  },
})

interface TestProps {
  readonly provider: IdentityProviderRecord
  readonly mayTest: boolean
}

export const ProviderTest = ({ provider, mayTest }: TestProps) => {
  const text = useTexts(testTexts)
  const [search] = useSearchParams()
  const testId = search.get('test')
  const { mutate, isPending, error } = useCommand<{ redirectTo: string }>()
  const { id, enabled } = provider
  return (
    <>
      <Section
        title={text.title}
        hint={enabled ? text.hint : text.disabled}
        actions={
          mayTest &&
          enabled && (
            <Button
              small
              look="primary"
              busy={isPending}
              onClick={() =>
                mutate(
                  { method: 'POST', path: `/identity-providers/${id}/test-sign-in` },
                  { onSuccess: ({ redirectTo }) => window.location.assign(redirectTo) },
                )
              }
            >
              {text.start}
            </Button>
          )
        }
      >
        {error !== null && <Problem error={error} />}
      </Section>
      {testId !== null && mayTest && <Report providerId={id} testId={testId} />}
    </>
  )
}

const Report = ({ providerId, testId }: { readonly providerId: string; readonly testId: string }) => {
  const report = useRecord<IdentityProviderTestRecord>(
    `/identity-providers/${providerId}/test-sign-ins/${encodeURIComponent(testId)}`,
  )
  return <Loaded query={report}>{(data) => <Steps report={data} />}</Loaded>
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const Steps = ({ report }: { readonly report: IdentityProviderTestRecord }) => {
  const text = useTexts(testTexts)
  const { problem, claims, identity, account, time, authTime, groupIds, isPhishingResistant } = report
  const tone: Tone = problem === null ? 'good' : 'bad'
  const flag = (value: boolean): string => (value ? text.yes : text.no)
  return (
    <>
      <Section title={text.response}>
        <Facts
          facts={[
            [
              text.response,
              <Badge key="response" tone={tone}>
                {problem === null ? text.accepted : text.rejected}
              </Badge>,
            ],
            [text.problem, problem],
            [text.tested, <Time key="time" value={time} />],
            [text.authTime, authTime === null ? null : <Time value={authTime} />],
          ]}
        />
      </Section>
      {claims !== null && (
        <Section title={text.claims}>
          <Facts
            facts={Object.entries(claims).map(([name, value]) => [
              name,
              <code key={name}>{shown(value)}</code>,
            ])}
          />
        </Section>
      )}
      {identity !== null && (
        <Section title={text.mapped}>
          <Facts
            facts={[
              [text.subject, <code key="subject">{identity.subject}</code>],
              [text.email, identity.email],
              [
                text.emailVerified,
                identity.emailVerified === null ? text.unsaid : flag(identity.emailVerified),
              ],
              ...Object.entries(identity.profile).map(([field, value]) => [field, shown(value)] as const),
              [text.groupsClaim, identity.groups === null ? text.noGroups : identity.groups.join(', ')],
              [text.authentication, identity.authentication.join(', ')],
              [text.strength, flag(isPhishingResistant)],
            ]}
          />
        </Section>
      )}
      {account !== null && <Account account={account} groupIds={groupIds} />}
    </>
  )
}

const Account = ({
  account: { decision, code, userId },
  groupIds,
}: {
  readonly account: NonNullable<IdentityProviderTestRecord['account']>
  readonly groupIds: readonly string[]
}) => {
  const text = useTexts(testTexts)
  const [decisions, refusals] = [useTexts(decisionTexts), useTexts(refusalTexts)]
  const reason = Object.entries(refusals).find(([name]) => name === code)?.[1]
  return (
    <Section title={text.account}>
      <Facts
        facts={[
          [
            text.decision,
            <Badge key="decision" tone={decision === 'refuse' ? 'bad' : 'good'}>
              {decisions[decision]}
            </Badge>,
          ],
          [text.reason, reason ?? code],
          [text.user, userId === null ? null : <PageLink to={`/console/users/${userId}`}>{userId}</PageLink>],
          [
            text.groups,
            groupIds.length === 0
              ? text.none
              : groupIds.map((groupId) => (
                  <span key={groupId}>
                    <GroupName id={groupId} />{' '}
                  </span>
                )),
          ],
        ]}
      />
    </Section>
  )
}
