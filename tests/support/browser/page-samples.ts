import type { PageModel } from '../../../adapters/inbound/web/kit/layout.ts'
import { enrollExpiredPage, enrollPage } from '../../../adapters/inbound/web/sign-in/enroll-page.ts'
import { backToApplicationAction, errorPage } from '../../../adapters/inbound/web/sign-in/error-page.ts'
import { errorText } from '../../../adapters/inbound/web/sign-in/error-texts.ts'
import {
  formPostPage,
  homePage,
  signedOutPage,
  signOutConfirmPage,
} from '../../../adapters/inbound/web/sign-in/leaving-pages.ts'
import {
  emailVerifiedPage,
  mailedLinkExpiredPage,
  mailedLinkPage,
} from '../../../adapters/inbound/web/sign-in/link-pages.ts'
import { signInPage } from '../../../adapters/inbound/web/sign-in/sign-in-page.ts'
import type { Ways } from '../../../adapters/inbound/web/sign-in/ways.ts'
import { accountSamples } from './account-samples.ts'
import { testReportSamples } from './test-report-samples.ts'

export interface SampleContext {
  readonly asset: PageModel['asset']
  readonly origin: string
}

const organization = { name: 'Northwind Trading', supportUrl: '/help' }
const application = { name: 'Expenses' }
const offering = (ways: Partial<Ways>): { ways: Ways; linkMinutes: number } => ({
  ways: { passkey: null, code: null, link: false, ...ways },
  linkMinutes: 15,
})
const passkeyOnly = offering({ passkey: 'passkey' })
const everyWay = offering({ passkey: 'passkey', code: 'either', link: true })
const ids = { request: '01KAJ4Y8T0M3Q2ZB5W9XD7NCVE' }

const enroll = (
  asset: PageModel['asset'],
  kind: 'invite' | 'reset',
  allowedMethods: readonly string[] = ['passkey'],
): string =>
  enrollPage({
    asksProfile: false,
    organization,
    asset,
    kind,
    token: 'tok/en',
    name: 'Ada Lovelace',
    email: 'ada.lovelace@northwind.example',
    expiresAt: '2026-11-28T09:00:00Z',
    allowedMethods,
  })

const error = (asset: PageModel['asset'], code: string): string =>
  errorPage({
    organization,
    asset,
    code,
    ...errorText(code, application.name),
    requestId: ids.request,
    actions: [
      backToApplicationAction(application.name, 'req-1'),
      { label: 'Open your account', href: '/account' },
    ],
  })

/** Every page of the sign-in front end with plausible content, by the path at which the gallery shows it. */
export const samplePages: Record<string, (context: SampleContext) => string> = {
  '/': ({ asset }) => homePage({ organization, asset }),
  '/sign-in': ({ asset }) => signInPage({ organization, asset, ...passkeyOnly }),
  '/sign-in/application': ({ asset }) =>
    signInPage({
      organization,
      asset,
      application,
      authRequestId: 'req-1',
      ...passkeyOnly,
      loginHint: 'ada@northwind.example',
    }),
  '/sign-in/error': ({ asset }) =>
    signInPage({
      organization,
      asset,
      application,
      authRequestId: 'req-1',
      ...passkeyOnly,
      error: { code: 'ERR_REAUTH_REQUIRED', message: 'Expenses asks you to sign in again.' },
      signedInAs: { name: 'Ada Lovelace', email: 'ada@northwind.example' },
    }),
  '/sign-in/every-way': ({ asset }) =>
    signInPage({ organization, asset, ...everyWay, application, authRequestId: 'req-1' }),
  '/sign-in/again': ({ asset }) =>
    signInPage({
      organization,
      asset,
      ...everyWay,
      next: '/account#methods',
      signedInAs: { name: 'Ada Lovelace', email: 'ada@northwind.example' },
    }),
  '/sign-in/codes': ({ asset }) =>
    signInPage({
      organization,
      asset,
      ...offering({ code: 'authenticator' }),
    }),
  '/sign-in/links': ({ asset }) =>
    signInPage({
      organization,
      asset,
      ...offering({ link: true }),
    }),
  '/magic-link/tok%2Fen': ({ asset }) =>
    mailedLinkPage({ organization, asset, link: 'magic-link', token: 'tok/en' }),
  '/magic-link/expired': ({ asset }) => mailedLinkExpiredPage({ organization, asset, link: 'magic-link' }),
  '/verify-email/tok%2Fen': ({ asset }) =>
    mailedLinkPage({ organization, asset, link: 'verify-email', token: 'tok/en' }),
  '/verify-email/expired': ({ asset }) =>
    mailedLinkExpiredPage({ organization, asset, link: 'verify-email' }),
  '/verify-email/done': ({ asset }) => emailVerifiedPage({ organization, asset }),
  '/enroll/invite': ({ asset }) => enroll(asset, 'invite'),
  '/enroll/reset': ({ asset }) => enroll(asset, 'reset'),
  '/enroll/choice': ({ asset }) => enroll(asset, 'invite', ['passkey', 'security_key', 'authenticator_code']),
  '/enroll/authenticator': ({ asset }) => enroll(asset, 'reset', ['authenticator_code']),
  '/enroll/expired': ({ asset }) => enrollExpiredPage({ organization, asset }),
  ...accountSamples,
  ...testReportSamples,
  '/errors/not-assigned': ({ asset }) => error(asset, 'ERR_NOT_ASSIGNED'),
  '/errors/expired': ({ asset }) => error(asset, 'ERR_AUTH_REQUEST_EXPIRED'),
  '/errors/suspended': ({ asset }) => error(asset, 'ERR_ACCOUNT_SUSPENDED'),
  '/errors/redirect-uri': ({ asset }) => error(asset, 'ERR_INVALID_REDIRECT_URI'),
  '/errors/not-found': ({ asset }) => error(asset, 'ERR_NO_ROUTE'),
  '/errors/internal': ({ asset }) => error(asset, 'ERR_INTERNAL'),
  '/errors/unavailable': ({ asset }) => error(asset, 'ERR_UNAVAILABLE'),
  '/sign-out': ({ asset }) =>
    signOutConfirmPage({
      organization,
      asset,
      application,
      action: '/posted',
      fields: { state: 'a&b' },
      cancelHref: '/account',
    }),
  '/signed-out': ({ asset }) => signedOutPage({ organization, asset }),
  '/form-post': ({ asset, origin }) =>
    formPostPage({
      organization,
      asset,
      action: `${origin}/posted`,
      fields: { code: 'c"<>', state: 'a&b', submit: 'x' },
      applicationName: 'Expenses',
    }),
}
