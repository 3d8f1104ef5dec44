import type { OidcPages } from '../../oidc/pages.ts'
import { contentSecurityPolicy } from '../kit/csp.ts'
import type { PageModel } from '../kit/layout.ts'
import { backToApplicationAction, errorPage } from './error-page.ts'
import { errorText } from './error-texts.ts'
import { formPostPage } from './leaving-pages.ts'

/** The pages of the protocol endpoints, in the look of all others. @param look what every page shows now */
export const oidcPages = (look: () => PageModel): OidcPages => ({
  error: ({ status, code, applicationName, requestId, back }) => {
    const { title, message } = errorText(code, applicationName)
    const actions =
      back === undefined
        ? []
        : [backToApplicationAction(applicationName ?? 'the application', back.authRequest)]
    return {
      html: errorPage({ ...look(), status, code, title, message, requestId, actions }),
      headers: { 'Content-Security-Policy': contentSecurityPolicy(back === undefined ? [] : [back.target]) },
    }
  },
  formPost: (model) => ({
    html: formPostPage({ ...look(), ...model }),
    headers: { 'Content-Security-Policy': contentSecurityPolicy([model.action]) },
  }),
})
