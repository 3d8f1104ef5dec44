import { Type } from 'typebox'
import type { Services } from '../../application/services/services.ts'
import { actorIdOf } from '../http/caller.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { writers } from '../http/schemas.ts'
import { grantedScopes } from './api-resource-schemas.ts'
import { TestSignIn } from './test-sign-in-schemas.ts'
import { testSignIns } from '../test-sign-in/start.ts'

export const testSignInRoutes = (
  services: Pick<Services, 'pool' | 'clock' | 'random' | 'vault' | 'configuration' | 'publicUrl'>,
): readonly Route[] => {
  const tests = testSignIns(services)
  return [
    route({
      method: 'POST',
      path: '/applications/{id}/test-sign-in',
      tag: 'Applications',
      summary: 'Test the sign-in to an application',
      description:
        'Returns an address. Whoever opens it signs in as for a request of the application, and gets a report of each step and of each claim that the application would receive. Nothing is issued, nothing is sent to the application, and the sign-in is not recorded as one to the application.',
      access: writers('app_admin'),
      params: fields({ id: idOf('application') }),
      body: fields({
        scopes: Type.Optional(
          Type.Array(grantedScopes.items, {
            minItems: 1,
            maxItems: 200,
            uniqueItems: true,
            description:
              'as the application would request them; default: openid, profile, email. None with SAML',
          }),
        ),
        signInAgain: Type.Optional(
          Type.Boolean({ description: 'whether a user who is signed in must sign in again; default: false' }),
        ),
      }),
      result: TestSignIn,
      status: 200,
      errors: ['ERR_CONFLICT'],
      handle: async ({ params, body, caller, http }) => ({
        body: await tests.start({
          applicationId: params.id,
          scopes: body.scopes,
          signInAgain: body.signInAgain ?? false,
          startedBy: actorIdOf(caller) ?? '',
          ip: http.ip,
        }),
      }),
    }),
  ]
}
