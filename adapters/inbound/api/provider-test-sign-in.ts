import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Services } from '../../application/services/services.ts'
import { providerTests } from '../../application/sign-in/federation/provider-test.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { federatedSignIn } from '../sign-in/federated-sign-in.ts'
import { ProviderTest } from './provider-test-schemas.ts'

const tag = 'Identity providers'
const access = { credentials: ['session'], roles: ['security_admin'] } as const

/** Routes that try an identity provider. */
export const providerTestRoutes = (services: Services): readonly Route[] => {
  const federation = federatedSignIn(services)
  const tests = providerTests(services)
  return [
    route({
      method: 'POST',
      path: '/identity-providers/{id}/test-sign-in',
      tag,
      summary: 'Test the sign-in with an identity provider',
      description:
        'Open `redirectTo` in the same browser. After the sign-in at the provider, a page of the console shows each step: the claims that were received, what the mapping makes of them, and what would happen to the account and its groups. Nothing is changed, and nobody is signed in.',
      access,
      params: fields({ id: idOf('identityProvider') }),
      result: Type.Object({ redirectTo: Type.String() }),
      status: 200,
      errors: ['ERR_NOT_FOUND', 'ERR_PROVIDER_FAILED'],
      handle: async (request) => {
        const { location, setCookies } = await federation.startTest(request, request.params.id)
        return { body: { redirectTo: location }, headers: { 'Set-Cookie': setCookies } }
      },
    }),
    route({
      method: 'GET',
      path: '/identity-providers/{id}/test-sign-ins/{testId}',
      tag,
      summary: 'Get the report of a test sign-in',
      description: 'For the administrator who ran the test, for 15 minutes.',
      access,
      params: fields({ id: idOf('identityProvider'), testId: idOf('providerTest') }),
      result: ProviderTest,
      status: 200,
      errors: [],
      handle: async ({ params: { id, testId }, caller }) => {
        const report = await tests.find(id, testId, caller.userId)
        if (report === null) throw new DomainError('ERR_NOT_FOUND')
        return { body: report }
      },
    }),
  ]
}
