/** The configuration of an organization, as files have it. */
import { newSigner } from '../federation/scripted-saml-provider.ts'

const { certificatePem: signingCertificate } = await newSigner()

/** One record of each kind at least, with references in every direction. */
export const organization: Readonly<Record<string, unknown>> = {
  settings: {
    organizationName: 'Northwind',
    supportEmail: 'help@example.com',
    magicLinkMinutes: 20,
    signInEventRetentionDays: 730,
  },
  groups: [
    { name: 'Operators', description: 'On call' },
    {
      name: 'Berlin',
      rule: { match: 'all', conditions: [{ attribute: 'location', operator: 'eq', value: 'Berlin' }] },
    },
  ],
  'network-zones': [
    { name: 'Office', type: 'ip', cidrs: ['192.0.2.7/24', '2001:DB8::/32'], trusted: true },
    { name: 'Antarctica', type: 'geo', countries: ['AQ'], blocked: true },
  ],
  'api-resources': [
    {
      identifier: 'https://api.example.com',
      name: 'Invoices',
      scopes: [{ name: 'invoices:read', description: 'Read' }, { name: 'invoices:write' }],
      ownerApplications: ['Billing'],
    },
  ],
  applications: [
    {
      name: 'Billing',
      protocol: 'oidc',
      type: 'web',
      redirectUris: ['https://billing.example.com/callback'],
      groups: ['Operators', 'Berlin'],
      apiGrants: [{ api: 'https://api.example.com', scopes: ['invoices:write', 'invoices:read'] }],
    },
    { name: 'Report', protocol: 'oidc', type: 'service', status: 'disabled' },
    {
      name: 'Wiki',
      protocol: 'saml',
      saml: { entityId: 'https://wiki.example.com/saml', acsUrls: ['https://wiki.example.com/acs'] },
      groups: ['Berlin'],
    },
  ],
  policies: [
    {
      name: 'Operators in the office',
      status: 'report_only',
      action: 'require_strong',
      conditions: {
        users: { include: ['Operators'] },
        applications: { include: ['Billing', 'ssh'] },
        zones: { exclude: ['Office'] },
      },
    },
  ],
  'access-packages': [
    {
      name: 'Finance reports',
      groups: ['Berlin'],
      status: 'published',
      requesters: { scope: 'groups', groups: ['Operators'] },
      approval: {
        required: true,
        stages: [
          {
            approvers: { type: 'users', names: ['Hedy@example.com'] },
            mode: 'any',
            timeoutHours: 48,
            escalateTo: 'hedy@example.com',
            justificationRequired: false,
          },
          {
            approvers: { type: 'groups', names: ['Operators'] },
            mode: 'all',
            timeoutHours: 24,
            justificationRequired: true,
          },
        ],
      },
      duration: { default: 'P30D', max: 'P90D', requesterMayChoose: true },
      incompatiblePackages: ['Payments'],
      owners: ['hedy@example.com'],
      questions: [{ id: 'why', label: 'Why?', type: 'text', required: true }],
      review: {
        everyDays: 90,
        reviewers: { type: 'manager', names: [], fallbacks: ['hedy@example.com'] },
      },
    },
    { name: 'Payments', groups: ['Operators', 'Berlin'], status: 'archived' },
  ],
  'lifecycle-rules': [
    {
      name: 'New colleagues in Berlin',
      enabled: true,
      trigger: { type: 'group_joined', group: 'Berlin' },
      conditions: { match: 'all', conditions: [{ attribute: 'department', operator: 'present' }] },
      actions: [
        { type: 'assign_package', package: 'Finance reports', duration: 'P90D' },
        { type: 'add_to_group', group: 'Operators', continueOnError: false },
        {
          type: 'send_email',
          to: 'users',
          users: ['HEDY@example.com'],
          subject: 'Hello',
          text: 'A new\ncolleague',
        },
        { type: 'start_review', reviewers: { type: 'manager', names: [], fallbacks: ['hedy@example.com'] } },
      ],
      category: 'joiner',
    },
  ],
  'identity-providers': [
    {
      name: 'Contoso',
      type: 'microsoft',
      issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
      clientId: 'contoso',
      clientSecret: { env: 'CONTOSO_SECRET' },
      groupMapping: [{ value: 'ops', group: 'Operators' }],
      jitGroups: ['Operators'],
      attributeMapping: { email: 'email', name: 'name' },
      enabled: false,
    },
    {
      name: 'Fabrikam',
      type: 'oidc',
      issuer: 'https://login.fabrikam.example',
      clientId: 'fabrikam',
      clientAuthentication: 'private_key_jwt',
      phishingResistantValues: ['phr'],
    },
    {
      name: 'Woodgrove',
      type: 'saml',
      issuer: 'https://login.woodgrove.example/metadata',
      ssoUrl: 'https://login.woodgrove.example/sso',
      certificates: [signingCertificate],
    },
  ],
  branding: { accentColor: '#0F5F66' },
  webhooks: [{ url: 'https://hooks.example.com/identity', events: ['user.*', 'group.*'], status: 'paused' }],
  'ssh-principal-mappings': [
    {
      group: 'Operators',
      principals: ['root', 'deploy'],
      maxValiditySeconds: 3600,
      sourceAddresses: ['10.1.2.3/8'],
    },
  ],
}
