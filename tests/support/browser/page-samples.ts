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
  readonly language: PageModel['language']
  readonly origin: string
}

const organization = { name: 'Northwind Trading', supportEmail: 'help@northwind.example' }
const application = { name: 'Expenses' }
const offering = (ways: Partial<Ways>): { ways: Ways; linkMinutes: number } => ({
  ways: { passkey: null, code: null, link: false, providers: [], homeRealms: false, ...ways },
  linkMinutes: 15,
})
const passkeyOnly = offering({ passkey: 'passkey' })
const everyWay = offering({ passkey: 'passkey', code: 'either', link: true })
const ids = { request: '01KAJ4Y8T0M3Q2ZB5W9XD7NCVE' }

const enroll = (
  { asset, language }: Pick<SampleContext, 'asset' | 'language'>,
  kind: 'invite' | 'reset',
  allowedMethods: readonly string[] = ['passkey'],
): string =>
  enrollPage({
    asksProfile: false,
    organization,
    asset,
    language,
    kind,
    token: 'tok/en',
    name: 'Ada Lovelace',
    email: 'ada.lovelace@northwind.example',
    expiresAt: '2026-11-28T09:00:00Z',
    allowedMethods,
  })

const error = ({ asset, language }: Pick<SampleContext, 'asset' | 'language'>, code: string): string =>
  errorPage({
    organization,
    asset,
    language,
    code,
    ...errorText(code, application.name, language),
    requestId: ids.request,
    actions: [
      backToApplicationAction(application.name, 'req-1', language),
      { label: 'Open your account', href: '/account' },
    ],
  })

/** Every page of the sign-in front end with plausible content, by the path at which the gallery shows it. */
export const samplePages: Record<string, (context: SampleContext) => string> = {
  '/': ({ asset, language }) => homePage({ organization, asset, language }),
  '/sign-in': ({ asset, language }) => signInPage({ organization, asset, language, ...passkeyOnly }),
  '/sign-in/application': ({ asset, language }) =>
    signInPage({
      organization,
      asset,
      language,
      application,
      authRequestId: 'req-1',
      ...passkeyOnly,
      loginHint: 'ada@northwind.example',
    }),
  '/sign-in/error': ({ asset, language }) =>
    signInPage({
      organization,
      asset,
      language,
      application,
      authRequestId: 'req-1',
      ...passkeyOnly,
      error: { code: 'ERR_REAUTH_REQUIRED', message: 'Expenses asks you to sign in again.' },
      signedInAs: { name: 'Ada Lovelace', email: 'ada@northwind.example' },
    }),
  '/sign-in/every-way': ({ asset, language }) =>
    signInPage({ organization, asset, language, ...everyWay, application, authRequestId: 'req-1' }),
  '/sign-in/again': ({ asset, language }) =>
    signInPage({
      organization,
      asset,
      language,
      ...everyWay,
      next: '/account#methods',
      signedInAs: { name: 'Ada Lovelace', email: 'ada@northwind.example' },
    }),
  '/sign-in/codes': ({ asset, language }) =>
    signInPage({
      organization,
      asset,
      language,
      ...offering({ code: 'authenticator' }),
    }),
  '/sign-in/links': ({ asset, language }) =>
    signInPage({
      organization,
      asset,
      language,
      ...offering({ link: true }),
    }),
  '/magic-link/tok%2Fen': ({ asset, language }) =>
    mailedLinkPage({ organization, asset, language, link: 'magic-link', token: 'tok/en' }),
  '/magic-link/expired': ({ asset, language }) =>
    mailedLinkExpiredPage({ organization, asset, language, link: 'magic-link' }),
  '/verify-email/tok%2Fen': ({ asset, language }) =>
    mailedLinkPage({ organization, asset, language, link: 'verify-email', token: 'tok/en' }),
  '/verify-email/expired': ({ asset, language }) =>
    mailedLinkExpiredPage({ organization, asset, language, link: 'verify-email' }),
  '/verify-email/done': ({ asset, language }) => emailVerifiedPage({ organization, asset, language }),
  '/enroll/invite': (context) => enroll(context, 'invite'),
  '/enroll/reset': (context) => enroll(context, 'reset'),
  '/enroll/choice': (context) => enroll(context, 'invite', ['passkey', 'security_key', 'authenticator_code']),
  '/enroll/authenticator': (context) => enroll(context, 'reset', ['authenticator_code']),
  '/enroll/expired': ({ asset, language }) => enrollExpiredPage({ organization, asset, language }),
  ...accountSamples,
  ...testReportSamples,
  '/errors/not-assigned': (context) => error(context, 'ERR_NOT_ASSIGNED'),
  '/errors/expired': (context) => error(context, 'ERR_AUTH_REQUEST_EXPIRED'),
  '/errors/suspended': (context) => error(context, 'ERR_ACCOUNT_SUSPENDED'),
  '/errors/redirect-uri': (context) => error(context, 'ERR_INVALID_REDIRECT_URI'),
  '/errors/not-found': (context) => error(context, 'ERR_NO_ROUTE'),
  '/errors/internal': (context) => error(context, 'ERR_INTERNAL'),
  '/errors/unavailable': (context) => error(context, 'ERR_UNAVAILABLE'),
  '/sign-out': ({ asset, language }) =>
    signOutConfirmPage({
      organization,
      asset,
      language,
      application,
      action: '/posted',
      fields: { state: 'a&b' },
      cancelHref: '/account',
    }),
  '/signed-out': ({ asset, language }) => signedOutPage({ organization, asset, language }),
  '/form-post': ({ asset, origin, language }) =>
    formPostPage({
      organization,
      asset,
      language,
      action: `${origin}/posted`,
      fields: { code: 'c"<>', state: 'a&b', submit: 'x' },
      applicationName: 'Expenses',
    }),
}
