import { apiResourceCommands } from '../../../adapters/application/commands/api-resources.ts'
import { applicationCommands } from '../../../adapters/application/commands/applications.ts'
import { oidcWorld, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { system, testService, type TestPerson, type TestService } from '../../support/service/service.ts'

export const API = 'https://invoices.example.com'
export const READ = 'invoices:read'
export const WRITE = 'invoices:write'
export const LOGGED_OUT = 'https://app.example.com/bye'

/** A service with an API whose scopes can be granted to applications. */
export interface ClientsPlace {
  readonly service: TestService
  readonly world: OidcWorld
  readonly apiResourceId: string
  readonly grant: (app: TestApplication, ...scopes: readonly string[]) => Promise<void>
  /** Returns the redirect that the browser of a signed-in user gets. */
  readonly visit: (url: URL, person: TestPerson) => Promise<URL>
  /** Approves the device with this code as the user. */
  readonly approve: (userCode: string, person: TestPerson) => Promise<void>
}

export const clientsPlace = async (): Promise<ClientsPlace> => {
  const service = await testService()
  const { services } = service.core
  const { apiResourceId } = await apiResourceCommands(services).create(
    { identifier: API, name: 'Invoices', scopes: [{ name: READ }, { name: WRITE }] },
    system,
  )
  return {
    service,
    world: oidcWorld(service),
    apiResourceId,
    grant: async ({ applicationId }, ...scopes) => {
      await applicationCommands(services).setApiGrant(applicationId, apiResourceId, scopes, system)
    },
    visit: async (url, { cookie }) => {
      const answer = await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } })
      const location = answer.headers.get('location')
      if (answer.status !== 303 || location === null)
        throw new Error(`no redirect, but ${String(answer.status)}: ${await answer.text()}`)
      return new URL(location)
    },
    approve: async (userCode, person) => {
      const { status, body } = await service.api('POST', `/device/${userCode}/approve`, { as: person })
      if (status !== 204) throw new Error(`not approved: ${JSON.stringify(body)}`)
    },
  }
}
