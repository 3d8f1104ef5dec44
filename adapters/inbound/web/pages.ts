/** Sends pages with their headers, for all endpoints. */
import type { Configuration } from '../../application/services/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { logoPath, themePath } from '../../application/services/logo-path.ts'
import { texts, type Language } from '../../kernel/language.ts'
import type { HtmlPage } from '../http/respond.ts'
import { pageSecurityHeaders } from '../http/security-headers.ts'
import type { ErrorPageModel, FormPostPageModel, ProtocolPages, SignOutPageModel } from '../sign-in/pages.ts'
import { ownLogo } from './account/account-model.ts'
import type { Assets } from './assets.ts'
import { commonTexts } from './kit/common-texts.ts'
import { formSource } from './kit/csp.ts'
import type { Organization, PageModel } from './kit/layout.ts'
import { backToApplicationAction, errorPage, type ErrorAction } from './sign-in/error-page.ts'
import { errorText } from './sign-in/error-texts.ts'
import { formPostPage, signOutConfirmPage } from './sign-in/leaving-pages.ts'
import { providerResponsePage } from './sign-in/provider-response-page.ts'
import { helpAddress } from './sign-in/help-address.ts'
import { testReportPage } from './sign-in/test-report-page.ts'

interface PageOptions {
  /** Absolute URLs that a form on the page may be sent to, including redirects */
  readonly formTargets?: readonly string[]
  /** The language of the reader, if it is known; default: that of the request */
  readonly language?: Language | null
}

/** Returns what pages show of the organization. */
export const organizationOf = ({
  settings,
  logo,
  accentColor,
}: Pick<Configuration, 'settings' | 'logo' | 'accentColor'>): Organization => ({
  name: settings.organizationName,
  logoUrl: logo === null ? undefined : logoPath(logo),
  themeUrl: accentColor === null ? undefined : themePath(accentColor),
  supportEmail: settings.supportEmail,
})

export interface WebPages extends ProtocolPages {
  /** The data on every page. */
  readonly model: (language: Language) => PageModel
  readonly page: (draw: (model: PageModel) => string, options?: PageOptions) => HtmlPage
  /** An error that is not about an application. */
  readonly problem: (
    code: string,
    requestId?: string,
    leadsToAccount?: boolean,
  ) => { readonly status: number; readonly page: HtmlPage }
}

const words = texts({
  en: { theApplication: 'the application' },
  de: { theApplication: 'der Anwendung' },
})

const ACCOUNT = '/account'
/** Errors that the user cannot resolve alone. */
const asksForHelp: ReadonlySet<string> = new Set(['ERR_BLOCKED_BY_POLICY', 'ERR_NOT_ASSIGNED'])
/** A policy that blocks a user may also block the account pages. */
const wayOut = (language: Language, code: string): ErrorAction =>
  code === 'ERR_BLOCKED_BY_POLICY'
    ? { label: commonTexts[language].signOut, form: { action: '/sign-out', fields: {} } }
    : { label: commonTexts[language].openAccount, href: ACCOUNT }

export const webPages = (
  { configuration, publicUrl }: Pick<Services, 'configuration' | 'publicUrl'>,
  assets: Assets,
): WebPages => {
  const plain = pageSecurityHeaders(publicUrl)
  // Chromium and Safari apply the policy of the posting page to every redirect after a post. Where the application
  // redirects to is unknown here: a policy with the origins of its registered addresses blocked applications that
  // answer on one host and continue on another. The page contains only one form, whose address is registered.
  const leaving = pageSecurityHeaders(publicUrl, { formAction: 'anywhere' })
  const model = (language: Language): PageModel => ({
    language,
    organization: organizationOf(configuration.now()),
    asset: assets.url,
  })
  const page: WebPages['page'] = (draw, { formTargets = [], language = null } = {}) => ({
    html: (chosen) => draw(model(chosen)),
    language,
    headers:
      formTargets.length === 0
        ? plain
        : pageSecurityHeaders(publicUrl, { formAction: formTargets.map(formSource) }),
  })

  const help = (language: Language, code: string): readonly ErrorAction[] => {
    const address = asksForHelp.has(code) ? helpAddress(configuration.now().settings) : undefined
    return address === undefined ? [] : [{ label: commonTexts[language].askForHelp, href: address }]
  }

  return {
    model,
    page,
    problem: (code, requestId, leadsToAccount = false) => ({
      status: errorText(code).status,
      page: page((base) =>
        errorPage({
          ...base,
          ...errorText(code, undefined, base.language),
          code,
          requestId,
          actions: [...help(base.language, code), ...(leadsToAccount ? [wayOut(base.language, code)] : [])],
        }),
      ),
    }),
    error: ({ status, code, applicationName, requestId, detail, back }: ErrorPageModel) =>
      page(
        (base) => {
          const name = applicationName ?? words[base.language].theApplication
          return errorPage({
            ...base,
            ...errorText(code, applicationName, base.language),
            status,
            code,
            requestId,
            detail,
            actions: [
              ...(back === undefined ? [] : [backToApplicationAction(name, back.authRequest, base.language)]),
              ...help(base.language, code),
              wayOut(base.language, code),
            ],
          })
        },
        { formTargets: back === undefined ? [] : [back.target] },
      ),
    formPost: ({ leadsToApps, ...form }: FormPostPageModel) => ({
      html: (language) => formPostPage({ ...model(language), ...form }),
      headers: leadsToApps
        ? leaving
        : pageSecurityHeaders(publicUrl, {
            formAction: [...new Set(['https:', new URL(form.action).protocol])],
          }),
    }),
    providerResponse: (response) => page((base) => providerResponsePage({ ...base, ...response })),
    signOut: ({ application, action, fields, target }: SignOutPageModel) =>
      page(
        (base) =>
          signOutConfirmPage({
            ...base,
            application: application && {
              name: application.name,
              logoUrl: ownLogo(application.logoUrl, publicUrl),
            },
            action,
            fields,
            cancelHref: ACCOUNT,
          }),
        { formTargets: target === null ? [] : [target] },
      ),
    testReport: (report) => page((base) => testReportPage({ ...base, ...report })),
  }
}
