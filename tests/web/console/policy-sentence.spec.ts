/** Policies read back in words. */
import { expect } from 'chai'
import { policySentence } from '../../../adapters/inbound/web/browser/console/policy-sentence.ts'
import { sentenceTexts } from '../../../adapters/inbound/web/browser/console/policy-sentence-texts.ts'
import { noConditions } from '../../../domain/policy/decider.ts'
import type { PolicyConditions } from '../../../domain/policy/events.ts'

type Described = Parameters<typeof policySentence>[0]

const names: Readonly<Record<string, string>> = {
  g1: 'Admins',
  g2: 'Sales',
  g3: 'Interns',
  a1: 'Payroll',
  a2: 'Wiki',
  z1: 'Office',
  z2: 'Home',
}

const policy = (
  action: Described['action'],
  conditions: Partial<PolicyConditions> = {},
  sessionMaxAgeMinutes: number | null = null,
): Described => ({ action, conditions: { ...noConditions, ...conditions }, sessionMaxAgeMinutes })

const users = (differences: Partial<PolicyConditions['users']>) => ({
  users: { ...noConditions.users, ...differences },
})

const table: readonly (readonly [what: string, policy: Described, en: string, de: string])[] = [
  [
    'no conditions',
    policy('block'),
    'Block sign-ins of everyone to everything.',
    'Anmeldungen von allen bei allem blockieren.',
  ],
  [
    'many conditions',
    policy('block', {
      ...users({ exclude: ['g1'] }),
      applications: { include: ['a1'], exclude: [] },
      zones: { include: 'any', exclude: ['z1'] },
      devices: 'unregistered',
      riskAtLeast: 'medium',
    }),
    'Block sign-ins of everyone except members of Admins to Payroll from outside Office on devices that are new to the user at medium risk or higher.',
    'Anmeldungen von allen außer Mitgliedern von Admins bei Payroll von außerhalb von Office auf für den Benutzer neuen Geräten ab mittlerem Risiko blockieren.',
  ],
  [
    'groups and roles',
    policy('require_strong', users({ include: ['g1', 'g2', 'g3'], roles: ['auditor', 'app_admin'] })),
    'Require a passkey or security key for sign-ins of members of Admins, Sales or Interns with the role auditor or application administrator to everything.',
    'Passkey oder Sicherheitsschlüssel verlangen für Anmeldungen von Mitgliedern von Admins, Sales oder Interns mit der Rolle Prüfer oder Anwendungsadministrator bei allem.',
  ],
  [
    'some applications left out',
    policy('allow', { applications: { include: 'all', exclude: ['a1', 'portal'] } }),
    'Allow sign-ins of everyone to everything except Payroll and the account pages and the console.',
    'Anmeldungen von allen bei allem außer Payroll und den Kontoseiten und der Konsole erlauben.',
  ],
  [
    'some applications without one',
    policy('block', { applications: { include: ['a1', 'a2'], exclude: ['a2'] } }),
    'Block sign-ins of everyone to Payroll or Wiki except Wiki.',
    'Anmeldungen von allen bei Payroll oder Wiki außer Wiki blockieren.',
  ],
  [
    'inside one zone and outside another',
    policy('block', { zones: { include: ['z1'], exclude: ['z2'] } }),
    'Block sign-ins of everyone to everything from Office outside Home.',
    'Anmeldungen von allen bei allem aus Office außerhalb von Home blockieren.',
  ],
  [
    'platforms and methods',
    policy('block', { platforms: ['ios', 'android'], methods: ['magic_link'], riskAtLeast: 'high' }),
    'Block sign-ins of everyone to everything with iOS or Android at high risk signed in with a sign-in link.',
    'Anmeldungen von allen bei allem unter iOS oder Android bei hohem Risiko mit einem Anmeldelink blockieren.',
  ],
  [
    'a new sign-in after the usual time',
    policy('require_reauth'),
    'Require a new sign-in after 10 minutes for sign-ins of everyone to everything.',
    'Nach 10 Minuten eine neue Anmeldung verlangen für Anmeldungen von allen bei allem.',
  ],
  [
    'a new sign-in after a minute',
    policy('require_reauth', {}, 1),
    'Require a new sign-in after a minute for sign-ins of everyone to everything.',
    'Nach einer Minute eine neue Anmeldung verlangen für Anmeldungen von allen bei allem.',
  ],
  [
    'a strong sign-in and its age',
    policy('require_strong', { devices: 'trusted' }, 15),
    'Require a passkey or security key for sign-ins of everyone to everything on trusted devices, and require a new sign-in after 15 minutes.',
    'Passkey oder Sicherheitsschlüssel verlangen für Anmeldungen von allen bei allem auf vertrauenswürdigen Geräten; nach 15 Minuten eine neue Anmeldung verlangen.',
  ],
  [
    'a block, whose age has no effect',
    policy('block', {}, 15),
    'Block sign-ins of everyone to everything.',
    'Anmeldungen von allen bei allem blockieren.',
  ],
  [
    'a record whose name is not known',
    policy('block', users({ include: ['g9'] })),
    'Block sign-ins of members of g9 to everything.',
    'Anmeldungen von Mitgliedern von g9 bei allem blockieren.',
  ],
]

describe('the sentence of a policy', () => {
  for (const [what, described, en, de] of table)
    it(`says ${what}`, () => {
      const nameOf = (id: string): string => names[id] ?? id
      expect(policySentence(described, nameOf, sentenceTexts.en)).to.equal(en)
      expect(policySentence(described, nameOf, sentenceTexts.de)).to.equal(de)
    })
})
