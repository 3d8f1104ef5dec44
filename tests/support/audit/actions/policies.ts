import { expect } from 'chai'
import { sharedDnsServer } from '../../dns/dns-server.ts'
import { uploadLogo, type AuditKit, type Step } from './kit.ts'

/** Steps for access policies. */
export const policySteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'create a policy',
    [['policy.create', 'Created the policy Office (disabled)']],
    keep(
      'policy',
      call('POST', to('/policies'), () => ({ name: 'Office', action: 'allow' })),
    ),
  ],
  [
    'rename a policy and try it out',
    [
      ['policy.update', 'Updated the policy Office hours'],
      ['policy.report_only', 'Set to report only the policy Office hours'],
    ],
    call('PATCH', to('/policies/:policy'), () => ({ name: 'Office hours', status: 'report_only' })),
  ],
  [
    'enable a policy',
    [['policy.enable', 'Enabled the policy Office hours']],
    call('PATCH', to('/policies/:policy'), () => ({ status: 'enabled' })),
  ],
  [
    'disable a policy',
    [['policy.disable', 'Disabled the policy Office hours']],
    call('PATCH', to('/policies/:policy'), () => ({ status: 'disabled' })),
  ],
  [
    'delete a policy',
    [['policy.delete', 'Deleted the policy Office hours']],
    call('DELETE', to('/policies/:policy')),
  ],
]

/** Steps for network zones. */
export const networkZoneSteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'create a network zone',
    [['network_zone.create', 'Created the network zone Office']],
    keep(
      'zone',
      call('POST', to('/network-zones'), () => ({ name: 'Office', type: 'ip', cidrs: ['192.0.2.0/24'] })),
    ),
  ],
  [
    'rename a network zone',
    [['network_zone.update', 'Updated the network zone Berlin']],
    call('PATCH', to('/network-zones/:zone'), () => ({ name: 'Berlin' })),
  ],
  [
    'delete a network zone',
    [['network_zone.delete', 'Deleted the network zone Berlin']],
    call('DELETE', to('/network-zones/:zone')),
  ],
]

/** Steps for identity providers. */
export const identityProviderSteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'add an identity provider',
    [['identity_provider.create', 'Added the identity provider Partners']],
    keep(
      'provider',
      call('POST', to('/identity-providers'), () => ({
        ...{ type: 'oidc', name: 'Partners', issuer: 'https://login.audit.example' },
        ...{ clientId: 'us', clientSecret: 'secret' },
      })),
    ),
  ],
  [
    'change an identity provider',
    [['identity_provider.update', 'Updated the identity provider Partner login']],
    call('PATCH', to('/identity-providers/:provider'), () => ({ name: 'Partner login' })),
  ],
  [
    'disable an identity provider',
    [['identity_provider.disable', 'Disabled the identity provider Partner login']],
    call('POST', to('/identity-providers/:provider/disable'), () => ({})),
  ],
  [
    'enable an identity provider',
    [['identity_provider.enable', 'Enabled the identity provider Partner login']],
    call('POST', to('/identity-providers/:provider/enable')),
  ],
  [
    'delete an identity provider',
    [
      ['identity_provider.disable', 'Disabled the identity provider Partner login'],
      ['identity_provider.delete', 'Deleted the identity provider Partner login'],
    ],
    call('DELETE', to('/identity-providers/:provider')),
  ],
]

/** Steps for domains. */
export const domainSteps = ({ as, admin, to, call, keep }: AuditKit): readonly Step[] => [
  [
    'add a domain',
    [['domain.add', 'Added the domain audit.example']],
    keep(
      'domain',
      call('POST', to('/domains'), () => ({ name: 'audit.example' })),
    ),
  ],
  [
    'verify a domain too early',
    [['domain.verify.fail', 'Did not find the verification record of the domain audit.example']],
    async () => {
      expect((await as(admin)('POST', to('/domains/:domain/verify')())).status).to.equal(422)
    },
  ],
  [
    'verify a domain',
    [['domain.verify', 'Verified the domain audit.example']],
    async () => {
      const { body } = await as(admin)('GET', to('/domains/:domain')())
      const { records } = await sharedDnsServer()
      records.set(body.recordName, [[body.recordValue]])
      await call('POST', to('/domains/:domain/verify'))()
    },
  ],
  [
    'remove a domain',
    [['domain.remove', 'Removed the domain audit.example']],
    call('DELETE', to('/domains/:domain')),
  ],
]

/** Steps for the logo of the organization. */
export const brandingSteps = ({ service, admin, to, call }: AuditKit): readonly Step[] => [
  [
    'upload a logo',
    [['branding.logo.update', "Changed the organization's logo"]],
    () => uploadLogo(service, admin, '/branding/logo'),
  ],
  [
    'remove the logo',
    [['branding.logo.delete', "Removed the organization's logo"]],
    call('DELETE', to('/branding/logo')),
  ],
  [
    'change the accent colour',
    [['branding.update', 'Changed the accent colour to #7a1fa2']],
    call('PUT', to('/branding/accent-color'), () => ({ accentColor: '#7A1FA2' })),
  ],
  [
    'remove the accent colour',
    [['branding.update', 'Removed the accent colour']],
    call('PUT', to('/branding/accent-color'), () => ({ accentColor: null })),
  ],
]
