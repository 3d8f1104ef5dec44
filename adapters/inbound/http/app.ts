import express, { type Express, type Router } from 'express'
import type { Route } from './route.ts'
import { mountApi, type ApiOptions } from './mount.ts'

/** How the service is, for those who run it. */
export interface Health {
  /** Whether the database answers. */
  readonly alive: () => Promise<boolean>
  /** Why traffic should not come here now; empty when it may. Not for everybody: it names what fails inside. */
  readonly notReady: () => Promise<readonly string[]>
}

export interface AppParts {
  readonly api: ApiOptions
  readonly routes: readonly Route[]
  /** Protocol endpoints and pages, tried in this order before the API. */
  readonly routers: readonly Router[]
  readonly health: Health
}

/** The whole HTTP surface of the service as one Express application. */
export const createApp = ({ api, routes, routers, health }: AppParts): Express => {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.get('/healthz', async (_, response) => {
    const alive = await health.alive()
    response
      .status(alive ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .type('text/plain')
      .send(alive ? 'ok' : 'database unavailable')
  })
  app.get('/readyz', async (_, response) => {
    const reasons = await health.notReady()
    response
      .status(reasons.length === 0 ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .type('text/plain')
      .send(reasons.length === 0 ? 'ready' : 'not ready')
  })
  for (const router of routers) app.use(router)
  mountApi(app, routes, api)
  return app
}
