/** What each role can do in the console, as a table. The API refuses the rest: tests/http/api/conventions.spec.ts. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { consolePages, type ConsolePageName } from '../../../adapters/inbound/web/console/page-list.ts'
import { roleKeys, sufficient, type Role } from '../../../domain/roles.ts'
import { atConsole } from '../../support/browser/console-browser.ts'
import { consoleRecords, type RecordIds } from '../../support/browser/console-records.ts'
import { everyScreen } from '../../support/browser/screens.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Buttons that change nothing. */
const reads =
  /^(?:Export as CSV|Columns|More|Live|Clear filters|Next|Previous|First page|Copy.*|Compare|Details.*|Last .*|Look up|Show|Preview|Start|▾|.*[↑↓↕])$/

type Offers = Readonly<Record<string, readonly Role[]>>

const nobodyElse: readonly Role[] = []
const people: readonly Role[] = ['user_admin']
const applications: readonly Role[] = ['app_admin']
const security: readonly Role[] = ['security_admin']
const helpers: readonly Role[] = ['security_admin', 'user_admin', 'helpdesk_admin']

const offersOf = (roles: readonly Role[], ...buttons: readonly string[]): Offers =>
  Object.fromEntries(buttons.map((button) => [button, roles]))

const user: Offers = {
  ...offersOf(people, 'Edit profile', 'Suspend', 'Delete'),
  ...offersOf(nobodyElse, 'Change roles'),
  ...offersOf(helpers, 'Reset sign-in methods', 'End all sessions'),
  ...offersOf(security, 'Account is compromised'),
}
const device = ['Trust', 'Block', 'Remove'].map((verb) => `${verb} Firefox on Linux`)
const application = offersOf(applications, 'Disable', 'Delete')
const serviceAccount: Offers = {
  ...offersOf(people, 'Edit', 'Disable', 'Delete'),
  ...offersOf(nobodyElse, 'Change roles'),
  ...offersOf(security, 'Change SSH host names'),
}
const apiResource = offersOf(applications, 'Edit', 'Delete')
const group = offersOf(people, 'Edit', 'Delete')
const accessPackage = offersOf(people, 'Edit', 'Archive', 'Delete')
const lifecycleRule = offersOf(people, 'Enable', 'Edit', 'Delete')
const policy = offersOf(security, 'Edit', 'Change status', 'Delete')
const scopes = ['invoices:read', 'invoices:write']

/** By page and tab: each button, and the roles besides global administrators that see it. */
const table: readonly (readonly [page: ConsolePageName, tab: string, offers: Offers])[] = [
  ['overview', '', {}],
  ['users', '', offersOf(people, 'Invite many', 'Invite user')],
  ['user', '', user],
  [
    'user',
    'security',
    {
      ...user,
      ...offersOf(helpers, 'Remove method My passkey', 'End 127.0.0.1'),
      ...offersOf(security, ...device),
    },
  ],
  ['audit', '', {}],
  ['signIns', '', {}],
  ['signIn', '', {}],
  [
    'settings',
    '',
    offersOf(
      nobodyElse,
      'Upload logo',
      'Change accent colour',
      ...[
        'Organization',
        'Sessions and links',
        'Wrong codes',
        'Administrators and keys',
        'Proxies',
        'Retention',
      ].map((part) => `Edit ${part}`),
    ),
  ],
  [
    'signInMethods',
    '',
    offersOf(
      security,
      ...[
        'Passkeys',
        'Security keys',
        'Authenticator apps',
        'Recovery codes',
        'Sign-in links by email',
        'Other identity providers',
      ].map((method) => `Disable ${method}`),
    ),
  ],
  ['policies', '', offersOf(security, 'Create policy', 'Change status Office only')],
  ['policies', 'simulate', offersOf(security, 'Create policy')],
  ['policy', '', policy],
  ['policy', 'simulate', policy],
  ['policy', 'dry-run', policy],
  ['policy', 'history', policy],
  ['networkZones', '', offersOf(security, 'Create network zone')],
  ['networkZone', '', offersOf(security, 'Edit', 'Delete')],
  ['identityProviders', '', offersOf(security, 'Add identity provider')],
  ['identityProvider', '', offersOf(security, 'Edit', 'Disable', 'Delete', 'Edit claims')],
  ['identityProvider', 'test', offersOf(security, 'Edit', 'Disable', 'Delete', 'Test sign-in')],
  ['domains', '', offersOf(security, 'Add domain')],
  ['domain', '', offersOf(security, 'Verify now', 'Remove')],
  ['accessPackages', '', offersOf(people, 'Create access package')],
  ['accessPackage', '', accessPackage],
  [
    'accessPackage',
    'assignments',
    { ...accessPackage, ...offersOf(people, 'Assign to a user', 'Until Rosa Parks', 'End Rosa Parks') },
  ],
  ['accessPackage', 'requests', accessPackage],
  ['accessReviews', '', offersOf(security, 'Create access review')],
  ['accessReview', '', offersOf(security, 'End now', 'Cancel review')],
  ['lifecycleRules', '', offersOf(people, 'Create rule')],
  ['lifecycleRule', '', lifecycleRule],
  ['lifecycleRule', 'preview', lifecycleRule],
  ['accessRequests', '', {}],
  ['accessRequest', '', offersOf(people, 'Let another user decide', 'Cancel request')],
  ['riskEvents', '', {}],
  ['riskEvent', '', offersOf(security, 'Dismiss', 'It was the user')],
  ['sharedSignals', '', offersOf(applications, 'Create the API resource')],
  ['sharedSignalsStream', '', offersOf(['security_admin', 'app_admin'], 'Pause', 'Disable', 'Delete')],
  ['imports', '', offersOf(people, 'Upload file')],
  ['import', '', offersOf(people, 'Start import', 'Delete')],
  ['exports', '', offersOf(['auditor'], 'New export')],
  ['configurationPlan', '', {}],
  ['operations', '', {}],
  [
    'keys',
    '',
    offersOf(
      nobodyElse,
      'Rotate the signing key of tokens',
      'Rotate the SAML certificate',
      'Rotate the key of the SSH authority',
    ),
  ],
  ['sshPrincipalMappings', '', offersOf(security, 'Map group')],
  ['sshPrincipalMapping', '', offersOf(security, 'Edit', 'Delete')],
  ['sshCertificates', '', {}],
  ['sshCertificate', '', offersOf(security, 'Revoke')],
  ['sshHostCertificates', '', {}],
  ['sshHostCertificate', '', offersOf(security, 'Revoke')],
  ['applications', '', offersOf(applications, 'Connect application')],
  ['application', '', application],
  [
    'application',
    'settings',
    {
      ...application,
      ...offersOf(applications, 'Edit General', 'Upload logo', 'Edit Addresses', 'Edit Tokens'),
    },
  ],
  [
    'application',
    'access',
    { ...application, ...offersOf(applications, 'Assign groups', 'Unassign Everyone', 'Unassign Staff') },
  ],
  [
    'application',
    'apis',
    { ...application, ...offersOf(applications, 'Change Invoices', 'Revoke Invoices') },
  ],
  ['webhooks', '', offersOf(security, 'Add webhook')],
  ['webhook', '', offersOf(security, 'Send test event', 'Edit', 'Pause', 'Delete')],
  ['provisioning', '', offersOf(applications, 'Set up provisioning')],
  ['applicationProvisioning', '', offersOf(applications, 'Set up provisioning')],
  ['sessions', '', offersOf(helpers, 'End 127.0.0.1')],
  ['session', '', offersOf(helpers, 'End')],
  ['devices', '', offersOf(security, ...device)],
  ['device', '', offersOf(security, 'Rename', 'Trust', 'Block', 'Remove')],
  ['serviceAccounts', '', offersOf(people, 'Create service account')],
  ['serviceAccount', '', { ...serviceAccount, ...offersOf(people, 'Create API key', 'Revoke nightly') }],
  ['apiKeys', '', offersOf(people, 'Create API key', 'Revoke nightly')],
  ['apiKey', '', offersOf(people, 'Revoke nightly')],
  ['apiResources', '', offersOf(applications, 'Register API')],
  [
    'apiResource',
    '',
    {
      ...apiResource,
      ...offersOf(
        applications,
        'Add scope',
        ...scopes.flatMap((scope) => [`Describe ${scope}`, `Remove ${scope}`]),
      ),
    },
  ],
  [
    'apiResource',
    'applications',
    {
      ...apiResource,
      ...offersOf(applications, 'Grant scopes', 'Change Demo application', 'Revoke Demo application'),
    },
  ],
  ['groups', '', offersOf(people, 'Create group')],
  ['group', '', { ...group, ...offersOf(people, 'Add members', 'Remove Ada', 'Remove Hedy Lamarr') }],
  ['group', 'rule', { ...group, ...offersOf(people, 'Add rule') }],
]

/** By page and tab: what is offered for several rows at a time. */
const bulk: Readonly<Record<string, Offers>> = {
  'users ': {
    ...offersOf(people, 'Add to a group', 'Suspend'),
    ...offersOf(['user_admin', 'helpdesk_admin'], 'Invite again'),
    ...offersOf(helpers, 'End all sessions'),
  },
  'user security': { ...offersOf(helpers, 'End'), ...offersOf(security, 'Trust', 'Block', 'Remove') },
  'groups ': offersOf(people, 'Delete'),
  'group ': offersOf(people, 'Remove'),
  'applications ': offersOf(applications, 'Disable'),
  'serviceAccounts ': offersOf(people, 'Disable'),
  'serviceAccount ': offersOf(people, 'Revoke'),
  'apiKeys ': offersOf(people, 'Revoke'),
  'webhooks ': offersOf(security, 'Pause'),
  'policies ': offersOf(security, 'Report only', 'Enable', 'Delete'),
  'networkZones ': offersOf(security, 'Delete'),
  'domains ': offersOf(security, 'Verify now', 'Remove'),
  'apiResources ': offersOf(applications, 'Delete'),
  'riskEvents ': offersOf(security, 'Dismiss', 'It was the user'),
  'accessPackages ': offersOf(people, 'Archive'),
  'identityProviders ': offersOf(security, 'Disable'),
  'lifecycleRules ': offersOf(people, 'Enable', 'Delete'),
  'sessions ': offersOf(helpers, 'End'),
  'devices ': offersOf(security, 'Trust', 'Block', 'Remove'),
  'sshPrincipalMappings ': offersOf(security, 'Delete'),
  'sshCertificates ': offersOf(security, 'Revoke'),
  'sshHostCertificates ': offersOf(security, 'Revoke'),
}

/** Returns the labels of the buttons that change something. */
const offeredOn = async (page: Page): Promise<ReadonlySet<string>> => {
  const seen = await page.locator('main').getByRole('button').allInnerTexts()
  const more = page.getByRole('button', { name: 'More', exact: true })
  if ((await more.count()) > 0) {
    await more.click()
    await page.getByRole('menuitem').first().waitFor()
    seen.push(...(await page.getByRole('menuitem').allInnerTexts()))
    await page.keyboard.press('Escape')
  }
  return new Set(
    seen
      .map((text) => text.replaceAll(/\s+/g, ' ').trim())
      // A field for a file has the role of a button, and no text; a combobox has a button that opens its list.
      .filter((text) => text !== '' && text !== '▾' && !reads.test(text)),
  )
}

/** Selects the rows of each list, and returns the actions that are offered for them. */
const bulkActions = async (page: Page): Promise<readonly string[]> => {
  for (const all of await page.getByRole('checkbox', { name: 'Select all on this page' }).all())
    await all.check()
  const groups = page.getByRole('group', { name: 'Actions for the selected rows' })
  const buttons = groups.locator('button:not([aria-disabled])')
  const labels = (await buttons.allInnerTexts()).map((label) => label.replace(/ \(\d+\)$/, ''))
  return labels.filter((label) => label !== 'Select all that match')
}

describe('roles in the console', function () {
  this.timeout(300_000)
  let service: TestService
  let ids: RecordIds
  before(async () => {
    service = await testService()
    ids = await consoleRecords(service)
  })
  after(() => service.stop())

  // Takes half a minute for each role, so only in the campaign of pages.
  for (const role of everyScreen ? roleKeys : [])
    it(`AUT-05 ${role} sees what the role may do, and nothing else`, async () => {
      const { page, go, close, faults } = await atConsole(service, [role])
      try {
        for (const [name, tab, offers] of table) {
          await go(
            consolePages[name].path.replace('{id}', ids[name] ?? '') + (tab === '' ? '' : `?tab=${tab}`),
          )
          const expected = Object.entries(offers).filter(([, roles]) => sufficient(roles).includes(role))
          const buttons = expected.map(([text]) => text)
          // Some depend on a further record, such as the service account of a key.
          await until(async () => (await offeredOn(page)).size === buttons.length).catch(() => undefined)
          expect([...(await offeredOn(page))], `${name} ${tab}`).to.have.members(buttons)
          const allowed = Object.entries(bulk[`${name} ${tab}`] ?? {}).filter(([, roles]) =>
            sufficient(roles).includes(role),
          )
          expect(await bulkActions(page), `rows of ${name} ${tab}`).to.have.members(
            allowed.map(([text]) => text),
          )
        }
        expect(faults).to.deep.equal([])
      } finally {
        await close()
      }
    })
})
