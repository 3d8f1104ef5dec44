/** A test sign-in with an identity provider: the whole way there and back, and a report instead of a session. */
import { identityIn } from '../../../domain/identity-provider/claims.ts'
import type { IdentityProviderConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { federatedAccounts } from '../../application/sign-in/federation/federated-accounts.ts'
import { ProviderDenied, ProviderFailed } from '../../application/sign-in/federation/provider-protocol.ts'
import { providerTests, type ProviderTestReport } from '../../application/sign-in/federation/provider-test.ts'
import type { FederationFlow, FederationPurpose } from './federation-flow.ts'
import type { providerProtocols, ProviderResponse } from './provider-protocols.ts'

type TestPurpose = Extract<FederationPurpose, { kind: 'test' }>

export const federatedTests = (services: Services, protocols: ReturnType<typeof providerProtocols>) => {
  const { clock } = services
  const accounts = federatedAccounts(services)
  const tests = providerTests(services)

  const report = async (
    provider: IdentityProviderConfiguration,
    flow: FederationFlow,
    response: ProviderResponse,
  ): Promise<ProviderTestReport> => {
    const none: ProviderTestReport = {
      ...{ time: clock.now(), problem: null, claims: null, identity: null, account: null },
      ...{ groupIds: [], isPhishingResistant: false, authTime: null },
    }
    try {
      const { claims, authTime: seconds } = await protocols.identity(provider, response, flow.secrets, flow)
      const authTime = seconds === null ? null : new Date(seconds * 1000).toISOString().replace('Z', '000Z')
      const identity = identityIn(claims, provider.attributeMapping)
      if (identity === null)
        return { ...none, claims, authTime, problem: 'the response names no usable subject' }
      const isPhishingResistant = identity.authentication.some((value) =>
        provider.phishingResistantValues.includes(value),
      )
      return {
        ...none,
        ...{ claims, identity, authTime, isPhishingResistant },
        ...(await accounts.preview(provider, identity)),
      }
    } catch (error) {
      if (error instanceof ProviderDenied || error instanceof ProviderFailed)
        return { ...none, problem: error.message }
      throw error
    }
  }

  return {
    /** Keeps the report of a response. @returns the page that shows it */
    finish: async (
      provider: IdentityProviderConfiguration,
      flow: FederationFlow & { readonly purpose: TestPurpose },
      response: ProviderResponse,
    ): Promise<string> => {
      const id = await tests.keep(provider.id, flow.purpose.userId, await report(provider, flow, response))
      return `/console/identity-providers/${provider.id}?tab=test&test=${id}`
    },
  }
}
