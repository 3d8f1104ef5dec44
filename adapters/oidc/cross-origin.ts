/** Fetch standard, CORS. Documents are for everybody; token and userinfo for the origins of single-page applications. */
import type { RequestHandler, Response } from 'express'
import { originsOf } from '../../domain/oidc/cors.ts'
import type { Configuration, ConfigurationCache } from '../configuration.ts'

const DAY_SECONDS = 86_400

const allowEveryone = (response: Response): void => {
  response.setHeader('Access-Control-Allow-Origin', '*')
}

export const openToEveryone: RequestHandler = (request, response, next) => {
  allowEveryone(response)
  if (request.method !== 'OPTIONS') {
    next()
    return
  }
  response.setHeader('Access-Control-Allow-Methods', 'GET')
  response.setHeader('Access-Control-Allow-Headers', '*')
  response.setHeader('Access-Control-Max-Age', String(DAY_SECONDS))
  response.status(204).end()
}

const originsIn = ({ applicationById }: Configuration): ReadonlySet<string> =>
  new Set(
    [...applicationById.values()]
      .filter(({ type, status }) => type === 'spa' && status === 'active')
      .flatMap(({ settings }) => originsOf(settings)),
  )

/**
 * Answers preflights and marks answers for the origins of single-page applications. No cookie counts at these
 * endpoints, so an origin gains nothing but the answer to what it could have sent from its own server.
 */
export const openToApplications = (cache: ConfigurationCache, methods: string): RequestHandler => {
  let known: { readonly of: Configuration; readonly origins: ReadonlySet<string> } | null = null
  const allows = (configuration: Configuration, origin: string): boolean => {
    if (known?.of !== configuration) known = { of: configuration, origins: originsIn(configuration) }
    return known.origins.has(origin)
  }
  return async (request, response, next) => {
    response.setHeader('Vary', 'Origin')
    const { origin } = request.headers
    const isPreflight = request.method === 'OPTIONS'
    const allowed =
      origin !== undefined && (allows(cache.now(), origin) || allows(await cache.fresh(), origin))
    if (allowed) {
      response.setHeader('Access-Control-Allow-Origin', origin)
      response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate')
    }
    if (!isPreflight) {
      next()
      return
    }
    if (allowed) {
      response.setHeader('Access-Control-Allow-Methods', methods)
      response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
      response.setHeader('Access-Control-Max-Age', String(DAY_SECONDS))
    }
    response.status(204).end()
  }
}
