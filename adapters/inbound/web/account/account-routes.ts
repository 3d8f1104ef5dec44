/** The account pages of users. They only display data; changes go through the JSON API. */
import type { IncomingMessage } from 'node:http'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../../application/services/services.ts'
import { queryOf } from '../../http/form-body.ts'
import { redirect, sendHtmlPage } from '../../http/respond.ts'
import type { Endpoint } from '../../http/table.ts'
import { languageOf, languageOfHeader } from '../../../kernel/language.ts'
import type { WebPages } from '../pages.ts'
import type { PageModel } from '../kit/layout.ts'
import { accessPage } from './access-page.ts'
import { accountModels, type PageFor } from './account-model.ts'
import { activityPage } from './activity-page.ts'
import { approvalsPage } from './approvals-page.ts'
import { reviewsPage } from './reviews-page.ts'
import { accountPaths } from './frame.ts'
import { overviewPage } from './overview-page.ts'
import { securityPage } from './security-page.ts'

export interface AccountRouteDeps {
  readonly pages: Pick<WebPages, 'model' | 'page'>
  readonly sessionOf: (request: IncomingMessage) => Promise<LiveSession | null>
}

export const accountPages = (
  services: Pick<
    Services,
    'pool' | 'vault' | 'clock' | 'configuration' | 'locate' | 'mail' | 'development' | 'publicUrl'
  >,
  { pages, sessionOf }: AccountRouteDeps,
): readonly Endpoint[] => {
  const models = accountModels(services)

  const show = <Model extends PageModel>(
    path: string,
    read: (pageFor: PageFor, session: LiveSession, query: ReturnType<typeof queryOf>) => Promise<Model>,
    draw: (model: Model) => string,
  ): Endpoint => {
    // The sign-in page leads to the account by default.
    const signIn = path === accountPaths.overview ? '/sign-in' : `/sign-in?return=${path}`
    return {
      path,
      handlers: {
        GET: async (request, response) => {
          const session = await sessionOf(request)
          if (session === null) return redirect(response, signIn)
          const { 'accept-language': accepted } = request.headers
          const pageFor: PageFor = (locale) => pages.model(languageOf(locale) ?? languageOfHeader(accepted))
          const model = await read(pageFor, session, queryOf(request))
          sendHtmlPage(
            response,
            200,
            pages.page(() => draw(model), { language: model.language }),
          )
        },
      },
    }
  }

  return [
    show(accountPaths.overview, models.overview, overviewPage),
    show(
      accountPaths.access,
      (pageFor, session, query) => models.access(pageFor, session, query.get('for')),
      accessPage,
    ),
    show(accountPaths.approvals, models.approvals, approvalsPage),
    show(accountPaths.reviews, models.reviews, reviewsPage),
    show(
      accountPaths.security,
      (pageFor, session, query) => models.security(pageFor, session, query.get('error')),
      securityPage,
    ),
    show(accountPaths.activity, models.activity, activityPage),
  ]
}
