/**
 * CORS (Fetch standard): documents are public; the token and userinfo endpoints are open to the origins of single-page
 * applications.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { originsOf } from '../../../domain/oidc/cors.ts'
import type { Configuration, ConfigurationCache } from '../../application/services/configuration.ts'
import { sendEmpty } from '../http/respond.ts'
import type { Endpoint, Handler } from '../http/table.ts'

const DAY_SECONDS = 86_400

/** Serves a document that anyone may read. */
export const openToEveryone = (path: string, handler: Handler): Endpoint => ({
  path,
  handlers: {
    GET: (request, response, params) => {
      response.setHeader('Access-Control-Allow-Origin', '*')
      return handler(request, response, params)
    },
    OPTIONS: (_, response) => {
      sendEmpty(response, 204, {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': 'GET',
        'Access-Control-Allow-Headers': '*',
        'Access-Control-Max-Age': String(DAY_SECONDS),
      })
    },
  },
})

const originsIn = ({ applicationByClientId }: Configuration): ReadonlySet<string> =>
  new Set(
    [...applicationByClientId.values()]
      .filter(({ type, status }) => type === 'spa' && status === 'active')
      .flatMap(({ settings }) => originsOf(settings)),
  )

/**
 * Handles preflight requests and adds CORS headers for the origins of single-page applications. These endpoints ignore
 * cookies, so an origin gains only the response to a request that its own server could have sent.
 */
export const openToApplications = (cache: ConfigurationCache) => {
  let known: { readonly of: Configuration; readonly origins: ReadonlySet<string> } | null = null
  const allows = (configuration: Configuration, origin: string): boolean => {
    if (known?.of !== configuration) known = { of: configuration, origins: originsIn(configuration) }
    return known.origins.has(origin)
  }
  /** @returns whether the request comes from such an origin */
  const mark = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    response.setHeader('Vary', 'Origin')
    const { origin } = request.headers
    // Applications must also be able to read the response during an outage.
    const allowed = origin !== undefined && allows(await cache.fresh().catch(() => cache.now()), origin)
    if (allowed) {
      response.setHeader('Access-Control-Allow-Origin', origin)
      response.setHeader('Access-Control-Expose-Headers', 'Retry-After, WWW-Authenticate')
    }
    return allowed
  }
  return (path: string, handlers: Readonly<Partial<Record<'GET' | 'POST', Handler>>>): Endpoint => {
    const methods = Object.keys(handlers).join(', ')
    const marked =
      (handler: Handler): Handler =>
      async (request, response, params) => {
        await mark(request, response)
        await handler(request, response, params)
      }
    return {
      path,
      handlers: {
        ...(handlers.GET === undefined ? {} : { GET: marked(handlers.GET) }),
        ...(handlers.POST === undefined ? {} : { POST: marked(handlers.POST) }),
        OPTIONS: async (request, response) => {
          if (await mark(request, response)) {
            response.setHeader('Access-Control-Allow-Methods', methods)
            response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
            response.setHeader('Access-Control-Max-Age', String(DAY_SECONDS))
          }
          sendEmpty(response, 204)
        },
      },
    }
  }
}
