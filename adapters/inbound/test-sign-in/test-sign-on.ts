/**
 * A sign-in to an application that ends with a report for its reader: the same checks as for a request of the
 * application, then what it would receive. Nothing is issued and nothing is sent to the application, so a test gives
 * nobody access.
 */
import { signInNeed } from '../../../domain/oidc/sign-in-need.ts'
import { accessOfUser } from '../../../read-models/queries/access.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../application/services/services.ts'
import { isOpenToAll } from '../../application/sign-in/token-check.ts'
import { applicationSignIn } from '../sign-in/application-sign-in.ts'
import type { BrowserAnswer } from '../sign-in/browser-request.ts'
import type { PendingTest } from '../sign-in/pending-test.ts'
import { isTest, resumePaths } from '../sign-in/pending-sign-on.ts'
import type { SignInContext } from '../sign-in/sign-in-context.ts'
import type { Accepted, Entrance, SignInProtocol } from '../sign-in/sign-in-protocol.ts'
import type { TestedAnswer, TestReport } from '../sign-in/test-report.ts'
import { oidcAnswer, samlAnswer } from './answers.ts'

type Test = Accepted<ApplicationConfiguration, PendingTest>

export const testSignOn = (
  context: SignInContext & { readonly services: SignInContext['services'] & Pick<Services, 'pool'> },
) => {
  const { services, pages } = context
  const { pool, clock, publicUrl } = services

  const reported = (
    { application, pending }: Test,
    { userId, name, email, methods, strength, authTime }: LiveSession,
    found: Pick<TestReport, 'access' | 'answer'>,
  ): BrowserAnswer => ({
    status: 200,
    page: pages.testReport({
      application: { id: application.id, name: application.name },
      request:
        application.protocol === 'saml'
          ? { protocol: 'saml', entityId: application.saml.entityId, acsUrl: addressOf(pending) }
          : {
              protocol: 'oidc',
              clientId: application.clientId,
              redirectUri: addressOf(pending),
              scopes: pending.request.protocol === 'oidc' ? pending.request.scopes : [],
            },
      person: { name, email, methods, strength, authTime },
      ...found,
      isOwn: userId === pending.startedBy,
    }),
  })

  const accessOf = async (
    application: ApplicationConfiguration,
    { userId }: LiveSession,
  ): Promise<TestReport['access']> => {
    if (isOpenToAll(application)) return { outcome: 'open_to_all' }
    const all = await accessOfUser(pool, userId, clock.now())
    const via = all.find(({ applicationId }) => applicationId === application.id)?.via ?? []
    return { outcome: 'assigned', groups: [...new Set(via.map(({ groupName }) => groupName))] }
  }

  const answerTo = (
    { application, configuration, pending: { request } }: Test,
    entrance: Entrance,
  ): TestedAnswer | null =>
    application.protocol === 'saml'
      ? request.protocol === 'saml'
        ? samlAnswer(services, application, request.acsUrl, entrance)
        : null
      : request.protocol === 'oidc'
        ? oidcAnswer(services, { application, configuration }, request, entrance)
        : null

  const protocol: SignInProtocol<ApplicationConfiguration, PendingTest> = {
    resumePath: resumePaths.test,
    namesGroups: true,
    ownApplication: (application) => application ?? null,
    isOwn: isTest,
    isSilent: () => true,
    mayInteract: () => true,
    isRecorded: false,
    registration: (application, { request }) =>
      (application.protocol === 'saml'
        ? application.saml.acsUrls
        : application.settings.redirectUris
      ).includes(request.protocol === 'saml' ? request.acsUrl : request.redirectUri)
        ? 'registered'
        : { code: 'ERR_INVALID_REDIRECT_URI' },
    need: ({ pending: { prompts, askedAt } }, session) =>
      Promise.resolve(
        signInNeed(
          { prompts, acrValues: [] },
          { session, requestedAt: askedAt, notBefore: null, hintedUserId: null },
        ),
      ),
    returnTo: () => null,
    refuse: (test, refusal) => {
      if (refusal.reason === 'not_assigned' || refusal.reason === 'blocked_by_policy')
        return reported(test, refusal.session, { access: { outcome: refusal.reason }, answer: null })
      return { location: `${publicUrl}/console/applications/${test.application.id}` }
    },
    answer: async (test, entrance) => ({
      entered: reported(test, entrance.session, {
        access: await accessOf(test.application, entrance.session),
        answer: answerTo(test, entrance),
      }),
    }),
    guarded: (_, __, work) => work(),
  }
  const { resume, cancel } = applicationSignIn(context, protocol)
  return { resume, cancel }
}

const addressOf = ({ request }: PendingTest): string =>
  request.protocol === 'saml' ? request.acsUrl : request.redirectUri
