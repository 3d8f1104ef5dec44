/** A policy as a list of facts, for its page and for the comparison of its versions. */
import { isOwnApplication } from '../../../../../domain/policy/events.ts'
import type { PolicyChoices } from './pages/policy-choice-texts.ts'
import type { usePolicyTexts } from './pages/policy-texts.ts'
import type { NameOf } from './policy-sentence.ts'
import type { PolicyRecord } from './records.ts'

export type NamedKind = 'groups' | 'applications' | 'network-zones'

export type PolicyFact = readonly [
  label: string,
  value: string | { readonly kind: NamedKind; readonly ids: readonly string[] },
]

type PolicyTexts = ReturnType<typeof usePolicyTexts>

export const policyFacts = (
  {
    description,
    action,
    sessionMaxAgeMinutes,
    conditions,
  }: Pick<PolicyRecord, 'description' | 'action' | 'sessionMaxAgeMinutes' | 'conditions'>,
  text: PolicyTexts,
  choices: PolicyChoices,
): readonly PolicyFact[] => {
  const { users, applications, zones, devices, platforms, riskAtLeast, methods } = conditions
  const included = (kind: NamedKind, include: string | readonly string[], all: string) =>
    typeof include === 'string' ? all : { kind, ids: include }
  return [
    [text.description, description ?? ''],
    [text.action, text.actions[action]],
    [text.maxAge, sessionMaxAgeMinutes === null ? '' : String(sessionMaxAgeMinutes)],
    [text.users, included('groups', users.include, text.everyone)],
    [text.excludeGroups, { kind: 'groups', ids: users.exclude }],
    [text.roles, users.roles.map((role) => choices.roles[role]).join(', ')],
    [text.applications, included('applications', applications.include, text.everything)],
    [text.excludeApplications, { kind: 'applications', ids: applications.exclude }],
    [text.zones, included('network-zones', zones.include, text.anywhere)],
    [text.excludeZones, { kind: 'network-zones', ids: zones.exclude }],
    [text.devices, text.deviceChoices[devices]],
    [text.platforms, platforms.map((platform) => choices.platforms[platform]).join(', ') || text.any],
    [text.risk, text.riskChoices[riskAtLeast ?? 'any']],
    [text.methods, methods.map((method) => choices.methods[method]).join(', ') || text.any],
  ]
}

/** Returns the value of a fact in words. */
export const factText = ([, value]: PolicyFact, nameOf: NameOf, text: PolicyTexts): string =>
  typeof value === 'string'
    ? value
    : value.ids.map((id) => (isOwnApplication(id) ? text.own[id] : nameOf(id))).join(', ')
