import type { PageModel } from '../../../adapters/inbound/web/kit/layout.ts'
import { testReportPage } from '../../../adapters/inbound/web/sign-in/test-report-page.ts'
import type { TestReport } from '../../../adapters/inbound/sign-in/test-report.ts'

const organization = { name: 'Northwind Trading', supportEmail: 'help@northwind.example' }

const oidc: TestReport = {
  application: { id: 'app_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE', name: 'Expenses' },
  request: {
    protocol: 'oidc',
    clientId: 'sv_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE',
    redirectUri: 'https://expenses.northwind.example/a/rather/long/path/callback',
    scopes: ['openid', 'profile', 'email', 'groups'],
  },
  person: {
    name: 'Ada Lovelace',
    email: 'ada.lovelace@northwind.example',
    methods: ['passkey'],
    strength: 'phishing_resistant',
    authTime: '2026-11-22T09:00:00Z',
  },
  access: { outcome: 'assigned', groups: ['Accounting', 'Staff'] },
  answer: {
    protocol: 'oidc',
    idToken: {
      iss: 'https://id.northwind.example',
      sub: 'usr_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE',
      exp: 1_795_341_600,
      amr: ['hwk', 'user', 'mfa'],
      email_verified: true,
      groups: ['Accounting', 'Staff'],
    },
    userinfo: { sub: 'usr_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE', name: 'Ada Lovelace' },
    accessToken: {
      format: 'jwt',
      audience: ['https://api.northwind.example'],
      scopes: ['openid', 'profile'],
      lifetimeSeconds: 600,
    },
    hasRefreshToken: false,
  },
  isOwn: true,
}

const saml: TestReport = {
  ...oidc,
  request: {
    protocol: 'saml',
    entityId: 'https://expenses.northwind.example/saml',
    acsUrl: 'https://expenses.northwind.example/saml/acs',
  },
  access: { outcome: 'open_to_all' },
  answer: {
    protocol: 'saml',
    nameId: {
      format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      value: 'ada.lovelace@northwind.example',
    },
    attributes: [{ name: 'groups', values: ['Accounting', 'Staff'] }],
    xml: '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_test"></saml:Assertion>',
  },
  isOwn: false,
}

const refused: TestReport = { ...oidc, access: { outcome: 'not_assigned' }, answer: null }

const show =
  (report: TestReport) =>
  ({ asset, language }: Pick<PageModel, 'asset' | 'language'>): string =>
    testReportPage({ organization, asset, language, ...report })

export const testReportSamples = {
  '/sign-in/test/works': show(oidc),
  '/sign-in/test/saml': show(saml),
  '/sign-in/test/not-assigned': show(refused),
}
