/** What access policies decided about a sign-in, and from which facts. */
import type { ReactNode } from 'react'
import { isOwnApplication, PORTAL } from '../../../../../../domain/policy/events.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Facts, Section } from '../kit/record.tsx'
import { ApplicationLink, NamedLink } from '../record-links.tsx'
import type { SignInRecord } from '../records.ts'
import { signInTexts } from '../sign-in-table.tsx'
import { useTexts } from '../text.tsx'
import { usePolicyChoices } from './policy-choice-texts.ts'
import { usePolicyTexts } from './policy-texts.ts'
import { decisionTexts } from './sign-in-decision-texts.ts'

type Decision = NonNullable<SignInRecord['decision']>
type Outcome = Decision['outcome']

const tones: Readonly<Record<Outcome, Tone>> = {
  allow: 'good',
  block: 'bad',
  require_strong: 'warn',
  require_reauth: 'warn',
}

export const OutcomeBadge = ({ outcome }: { readonly outcome: Outcome }) => {
  const { outcomes } = usePolicyTexts()
  return <Badge tone={tones[outcome]}>{outcomes[outcome]}</Badge>
}

const links = (kind: 'groups' | 'network-zones', ids: readonly string[]): ReactNode =>
  ids.length === 0 ? null : (
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <NamedLink kind={kind} id={id} />
        </li>
      ))}
    </ul>
  )

const wordOf = (words: Readonly<Record<string, string>>, key: string): string => words[key] ?? key

export const SignInDecision = ({
  decision: { outcome, wouldBe, matched, facts },
}: {
  readonly decision: Decision
}) => {
  const text = useTexts(decisionTexts)
  const policy = usePolicyTexts()
  const choices = usePolicyChoices()
  const methodNames: Readonly<Record<string, unknown>> = useTexts(signInTexts)
  const methodNameOf = (method: string): string => {
    const name = methodNames[method]
    return typeof name === 'string' ? name : method
  }
  const opened = facts.applicationId ?? PORTAL
  const minutes = Math.floor(facts.authAge / 60)
  return (
    <Section title={text.title} hint={text.hint}>
      <Facts
        facts={[
          [text.outcome, <OutcomeBadge key="outcome" outcome={outcome} />],
          [text.wouldBe, wouldBe === outcome ? null : <OutcomeBadge key="wouldBe" outcome={wouldBe} />],
          [
            text.matched,
            matched.length === 0 ? (
              text.noneMatched
            ) : (
              <ul key="matched">
                {matched.map(({ policyId, version, status, action }) => (
                  <li key={policyId}>
                    <NamedLink kind="policies" id={policyId} /> ({text.version(version)}):{' '}
                    {policy.actions[action]}{' '}
                    {status === 'report_only' && <Badge tone="warn">{policy.statuses.report_only}</Badge>}
                  </li>
                ))}
              </ul>
            ),
          ],
          [
            text.opened,
            isOwnApplication(opened) ? policy.own[opened] : <ApplicationLink key="application" id={opened} />,
          ],
          [
            text.zones,
            <>
              {links('network-zones', facts.zoneIds) ?? text.noZone}
              {facts.isBlockedZone && <p>{text.blockedZone}</p>}
            </>,
          ],
          [text.device, text[facts.device]],
          [text.platform, wordOf(choices.platforms, facts.platform)],
          [text.risk, policy.risks[facts.risk]],
          [text.methods, facts.methods.map((method) => methodNameOf(method)).join(', ')],
          [text.age, minutes === 0 ? text.underAMinute : text.minutes(minutes)],
          [text.roles, facts.roles.map((role) => choices.roles[role]).join(', ')],
          [text.groups, links('groups', facts.groupIds)],
        ]}
      />
    </Section>
  )
}
