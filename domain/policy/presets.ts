/** Policies to start from. They are data: a preset is created like any other policy. */
import { roleKeys } from '../roles.ts'
import { noConditions } from './decider.ts'
import type { PolicyFields } from './events.ts'

export interface PolicyPreset extends Omit<PolicyFields, 'description'> {
  readonly key: string
  readonly description: string
  /** Whether a network zone must be added to its conditions first */
  readonly needsZone: boolean
}

const preset = { priority: 0, conditions: noConditions, needsZone: false } as const

export const policyPresets: readonly PolicyPreset[] = [
  {
    ...preset,
    key: 'administrators_need_a_passkey',
    name: 'Administrators need a passkey',
    description:
      'Users with an administrator role sign in to every application with a passkey or security key.',
    conditions: { ...noConditions, users: { ...noConditions.users, roles: roleKeys } },
    action: 'require_strong',
  },
  {
    ...preset,
    key: 'block_countries',
    name: 'Block these countries',
    description: 'Nobody signs in from the countries of a network zone.',
    action: 'block',
    needsZone: true,
  },
  {
    ...preset,
    key: 'step_up_on_risk',
    name: 'Step up on risk',
    description: 'From medium risk, users need a passkey or security key.',
    conditions: { ...noConditions, riskAtLeast: 'medium' },
    action: 'require_strong',
  },
  {
    ...preset,
    key: 'block_high_risk_codes',
    name: 'Block codes and links at high risk',
    description: 'At high risk, methods that can be phished are rejected.',
    conditions: {
      ...noConditions,
      riskAtLeast: 'high',
      methods: ['authenticator_code', 'recovery_codes', 'magic_link', 'identity_provider'],
    },
    action: 'block',
  },
  {
    ...preset,
    key: 'pci_dss_session_limit',
    name: 'PCI DSS: sign in again after 15 minutes',
    description:
      'Users of the applications that you choose sign in again after 15 minutes, with multi-factor authentication (PCI DSS 8.2.8, 8.4).',
    action: 'require_strong',
    sessionMaxAgeMinutes: 15,
  },
  {
    ...preset,
    key: 'new_device_needs_a_strong_method',
    name: 'New devices need a strong method',
    description: 'On a device that is not registered yet, users need a passkey or security key.',
    conditions: { ...noConditions, devices: 'unregistered' },
    action: 'require_strong',
  },
]
