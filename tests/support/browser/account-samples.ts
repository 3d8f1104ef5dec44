import { accessSamples } from './access-samples.ts'
import { activityPage } from '../../../adapters/inbound/web/account/activity-page.ts'
import { hints } from '../../../adapters/inbound/web/account/hints.ts'
import { overviewPage } from '../../../adapters/inbound/web/account/overview-page.ts'
import { securityPage } from '../../../adapters/inbound/web/account/security-page.ts'
import type { PageModel } from '../../../adapters/inbound/web/kit/layout.ts'

const organization = { name: 'Northwind Trading', supportEmail: 'help@northwind.example' }
const person = {
  name: 'Ada Lovelace',
  email: 'ada.lovelace@northwind.example',
  emailVerified: true,
  mailed: true,
  title: 'Principal engineer',
  department: 'Analytical Engines',
  locale: 'en-GB',
  timeZone: 'Europe/London',
}
const advised = (language: PageModel['language']) =>
  hints({ usedRecoveryCode: true, holdsStronger: false, ways: 1 }, language)
const fewest = (language: PageModel['language']) =>
  hints({ usedRecoveryCode: false, holdsStronger: false, ways: 0 }, language)

interface Context {
  readonly asset: PageModel['asset']
  readonly language: PageModel['language']
}

const here = 'Firefox on Linux'
const there = 'Safari on iPhone'

/** The account's pages with plausible content, both full and empty. */
export const accountSamples: Record<string, (context: Context) => string> = {
  '/account': ({ asset, language }) =>
    overviewPage({
      organization,
      asset,
      language,
      person,
      hints: [],
      applications: [
        { id: 'app_1', name: 'Expenses', launchUrl: 'https://expenses.example/' },
        { id: 'app_2', name: 'Payroll and Time Sheets', launchUrl: 'https://payroll.example/' },
        { id: 'app_3', name: 'Wiki', launchUrl: 'https://wiki.example/' },
        { id: 'app_4', name: 'Build server' },
      ],
      groups: [
        { name: 'Engineering', via: 'direct' },
        { name: 'Everyone in Analytical Engines', via: 'rule: department' },
      ],
      roles: ['Security administrator'],
    }),
  '/account/new': ({ asset, language }) =>
    overviewPage({
      organization,
      asset,
      language,
      person: {
        name: 'Grace',
        email: 'grace@northwind.example',
        emailVerified: false,
        mailed: true,
        locale: 'tlh',
      },
      hints: advised(language),
      applications: [],
      groups: [],
      roles: [],
    }),
  '/account/security': ({ asset, language }) =>
    securityPage({
      organization,
      asset,
      language,
      person,
      hints: [],
      methods: [{ id: 'mth_a', type: 'passkey', name: 'Laptop', createdAt: '2026-09-02T07:10:00Z' }],
      offered: ['passkey', 'security_key', 'authenticator_code'],
      recoveryCodes: { remaining: 2, generatedAt: '2026-11-02T10:00:00Z' },
      linkable: [],
      linkedAccounts: [
        {
          id: 'lnk_1',
          email: 'ada@partners.example',
          linkedAt: '2026-10-01T10:00:00Z',
        },
      ],
      ssh: {
        principals: ['deploy', 'postgres'],
        certificates: [
          {
            serial: '4611686018427387905',
            principals: ['deploy', 'postgres'],
            keyFingerprint: 'SHA256:DrRSl0YALkWlGHyuI3xsrkP3QnucrslBNMMIQX3AR3U',
            validBefore: '2026-11-21T17:30:00Z',
          },
        ],
        publicUrl: 'https://id.northwind.example',
      },
    }),
  '/account/security/bare': ({ asset, language }) =>
    securityPage({
      organization,
      asset,
      language,
      person,
      hints: [...advised(language), ...fewest(language)],
      methods: [],
      offered: [],
      recoveryCodes: { remaining: 0 },
      linkable: [],
      linkedAccounts: [],
      ssh: { principals: ['deploy'], certificates: [], publicUrl: 'https://id.northwind.example' },
    }),
  '/account/activity': ({ asset, language }) =>
    activityPage({
      organization,
      asset,
      language,
      person,
      sessions: [
        {
          id: 'ses_1',
          current: true,
          createdAt: '2026-11-21T08:02:00Z',
          lastSeenAt: '2026-11-21T09:11:00Z',
          place: 'London, GB (203.0.113.24)',
          device: here,
        },
        {
          id: 'ses_2',
          current: false,
          createdAt: '2026-11-20T18:40:00Z',
          lastSeenAt: '2026-11-20T22:15:00Z',
          place: '2001:db8:85a3::8a2e:370:7334',
          device: there,
        },
      ],
      devices: [
        {
          id: 'dev_1',
          name: here,
          status: 'trusted',
          current: true,
          lastSeenAt: '2026-11-21T09:11:00Z',
          place: 'London, GB (203.0.113.24)',
        },
        {
          id: 'dev_2',
          name: 'Old telephone',
          status: 'blocked',
          current: false,
          lastSeenAt: '2026-10-21T09:11:00Z',
          place: 'Unknown place',
        },
        {
          id: 'dev_3',
          name: there,
          status: 'registered',
          current: false,
          lastSeenAt: '2026-11-20T19:40:00Z',
          place: 'London, GB',
        },
      ],
      signIns: [
        {
          id: 'evt_01JZ0000000000000000000001',
          report: 'current',
          time: '2026-11-21T08:02:00Z',
          result: 'success',
          method: 'passkey',
          reason: null,
          device: here,
          place: 'London, GB (203.0.113.24)',
          application: 'Expenses',
        },
        {
          id: 'evt_01JZ0000000000000000000002',
          report: 'possible',
          time: '2026-11-21T08:01:00Z',
          result: 'failure',
          method: 'authenticator_code',
          reason: 'bad_code',
          device: there,
          place: '2001:db8:85a3::8a2e:370:7334',
        },
        {
          id: 'evt_01JZ0000000000000000000003',
          report: 'done',
          time: '2026-11-21T08:00:00Z',
          result: 'interrupted',
          method: null,
          reason: 'stronger_auth_required',
          device: there,
          place: '2001:db8:85a3::8a2e:370:7334',
          application: 'Payroll and Time Sheets',
        },
      ],
    }),
  '/account/activity/bare': ({ asset, language }) =>
    activityPage({ organization, asset, language, person, sessions: [], devices: [], signIns: [] }),
  ...Object.fromEntries(
    Object.entries(accessSamples).map(([path, draw]) => [
      path,
      ({ asset, language }: Context) => draw({ organization, asset, language, person }),
    ]),
  ),
}
