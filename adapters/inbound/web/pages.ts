/** Pages with the headers that they need, for whichever router shows them. */
import type { Request, Response } from 'express'
import type { Services } from '../../application/services/services.ts'
import { pageSecurityHeaders } from '../http/security-headers.ts'
import type {
  ErrorPageModel,
  FormPostPageModel,
  OidcPages,
  Page,
  SignOutPageModel,
} from '../sign-in/pages.ts'
import { ownLogo } from './account/account-model.ts'
import type { Assets } from './assets.ts'
import { formSource } from './kit/csp.ts'
import type { PageModel } from './kit/layout.ts'
import { backToApplicationAction, errorPage, type ErrorAction } from './sign-in/error-page.ts'
import { errorText } from './sign-in/error-texts.ts'
import { formPostPage, signOutConfirmPage } from './sign-in/leaving-pages.ts'

export interface WebPages extends OidcPages {
  /** The organization data on every page. */
  readonly model: () => PageModel
  /** @param formTargets absolute URLs that a form on the page may end up at, by redirects as well */
  readonly page: (html: string, formTargets?: readonly string[]) => Page
  /** An error that is not about an application; `actions` lead on. */
  readonly problem: (
    code: string,
    requestId?: string,
    actions?: readonly ErrorAction[],
  ) => { readonly status: number; readonly page: Page }
}

export const toAccount = { label: 'Open your account', href: '/account' } as const satisfies ErrorAction

/** The kit's headers as a record: its handler sets them on whatever takes headers. */
const headersFor = (
  publicUrl: string,
  formAction: readonly string[] | 'anywhere',
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  const taker = {
    setHeader: (name: string, value: string) => {
      headers[name] = value
    },
    removeHeader: () => undefined,
  }
  pageSecurityHeaders(publicUrl, { formAction })(
    {} as unknown as Request,
    taker as unknown as Response,
    () => undefined,
  )
  return headers
}

export const webPages = (
  { configuration, publicUrl }: Pick<Services, 'configuration' | 'publicUrl'>,
  assets: Assets,
): WebPages => {
  const plain = headersFor(publicUrl, [])
  // Some browsers apply the policy of the posting page to every redirect after a post. The redirect target of
  // the application is unknown here, and this page contains only one form.
  const leaving = headersFor(publicUrl, 'anywhere')
  const model = (): PageModel => ({
    organization: { name: configuration.now().settings.organizationName },
    asset: assets.url,
  })
  const page = (html: string, formTargets: readonly string[] = []): Page => ({
    html,
    headers: formTargets.length === 0 ? plain : headersFor(publicUrl, formTargets.map(formSource)),
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
    formPost: (form: FormPostPageModel) => ({
      html: formPostPage({ ...model(), ...form }),
      headers: leaving,
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
  }
}
