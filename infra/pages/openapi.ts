/** Generates the OpenAPI document of the service from the route declarations, without starting anything. */
import { readFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { apiRoutes } from '../../adapters/inbound/api/routes.ts'
import { allRoutes, documentOf } from '../../adapters/inbound/http/openapi.ts'
import type { Services } from '../../adapters/application/services/services.ts'

/** Replaces everything that handlers would use: declaring a route only passes services on. */
const unused: unknown = new Proxy(() => undefined, {
  get: () => unused,
  apply: () => unused,
})

const drawNothing = (): Promise<never> => Promise.reject(new Error('only declarations are used'))

const publicUrl = 'http://localhost:8080'

/** Returns the document of every route that a service outside development has. */
export const openApiDocument = (root: URL): string => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
  const services = new Proxy({} as Services, {
    get: (_, name) => (name === 'mail' ? { outbox: null } : name === 'publicUrl' ? publicUrl : unused),
  })
  const info = { version, publicUrl }
  const document = documentOf(allRoutes(apiRoutes(services, drawNothing), info), info)
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })
}
