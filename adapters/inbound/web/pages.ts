/** Sends pages with their headers, for all endpoints. */
import type { Services } from '../../application/services/services.ts'
import { pageSecurityHeaders } from '../http/security-headers.ts'
import type {
  ErrorPageModel,
  FormPostPageModel,
  ProtocolPages,
  HtmlPage,
  SignOutPageModel,
} from '../sign-in/pages.ts'
import { ownLogo } from './account/account-model.ts'
import type { Assets } from './assets.ts'
import { formSource } from './kit/csp.ts'
import type { PageModel } from './kit/layout.ts'
import { backToApplicationAction, errorPage, type ErrorAction } from './sign-in/error-page.ts'
import { errorText } from './sign-in/error-texts.ts'
import { formPostPage, signOutConfirmPage } from './sign-in/leaving-pages.ts'
import { testReportPage } from './sign-in/test-report-page.ts'

export interface WebPages extends ProtocolPages {
  /** The organization data on every page. */
  readonly model: () => PageModel
  /** @param formTargets absolute URLs that a form on the page may be sent to, including redirects */
  readonly page: (html: string, formTargets?: readonly string[]) => HtmlPage
  /** An error that is not about an application; `actions` offer ways to continue. */
  readonly problem: (
    code: string,
    requestId?: string,
    actions?: readonly ErrorAction[],
  ) => { readonly status: number; readonly page: HtmlPage }
}

export const toAccount = { label: 'Open your account', href: '/account' } as const satisfies ErrorAction

export const webPages = (
  { configuration, publicUrl }: Pick<Services, 'configuration' | 'publicUrl'>,
  assets: Assets,
): WebPages => {
  const plain = pageSecurityHeaders(publicUrl)
  // Chromium and Safari apply the policy of the posting page to every redirect after a post. Where the application
  // redirects to is unknown here: a policy with the origins of its registered addresses blocked applications that
  // answer on one host and continue on another. The page contains only one form, whose address is registered.
  const leaving = pageSecurityHeaders(publicUrl, { formAction: 'anywhere' })
  const model = (): PageModel => ({
    organization: { name: configuration.now().settings.organizationName },
    asset: assets.url,
  })
  const page = (html: string, formTargets: readonly string[] = []): HtmlPage => ({
    html,
    headers:
      formTargets.length === 0
        ? plain
        : pageSecurityHeaders(publicUrl, { formAction: formTargets.map(formSource) }),
  })

  return {
    model,
    page,
    problem: (code, requestId, actions) => {
      const text = errorText(code)
      return { status: text.status, page: page(errorPage({ ...model(), ...text, code, requestId, actions })) }
    },
    error: ({ status, code, applicationName, requestId, detail, back }: ErrorPageModel) =>
      page(
        errorPage({
          ...model(),
          ...errorText(code, applicationName),
          status,
          code,
          requestId,
          detail,
          actions: [
            ...(back === undefined
              ? []
              : [backToApplicationAction(applicationName ?? 'the application', back.authRequest)]),
            toAccount,
          ],
        }),
        back === undefined ? [] : [back.target],
      ),
    formPost: ({ leadsToApps, ...form }: FormPostPageModel) => ({
      html: formPostPage({ ...model(), ...form }),
      headers: leadsToApps
        ? leaving
        : pageSecurityHeaders(publicUrl, {
            formAction: [...new Set(['https:', new URL(form.action).protocol])],
          }),
    }),
    signOut: ({ application, action, fields, target }: SignOutPageModel) =>
      page(
        signOutConfirmPage({
          ...model(),
          application: application && {
            name: application.name,
            logoUrl: ownLogo(application.logoUrl, publicUrl),
          },
          action,
          fields,
          cancelHref: toAccount.href,
        }),
        target === null ? [] : [target],
      ),
    testReport: (report) => page(testReportPage({ ...model(), ...report })),
  }
}
