import { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import type { Table } from './table.ts'

/** The Express application that all requests go through, and the options that its server needs. */
export interface Shell {
  readonly app: Express
  /** Options for `createServer`: the request and response classes of the application. */
  readonly serverOptions: {
    readonly IncomingMessage: typeof IncomingMessage
    readonly ServerResponse: typeof ServerResponse
  }
}

/** Creates an Express application that serves only a routing table. */
export const createApp = (table: Table): Shell => {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')

  // Express changes the prototype of each request and response. If they already have the right one, it does not,
  // which saves two thirds of the time that Express adds to a request.
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  app.request = AppRequest.prototype as unknown as Express['request']
  app.response = AppResponse.prototype as unknown as Express['response']

  app.use((request, response) => {
    table.answer(request, response).catch(() => {
      response.destroy()
    })
  })
  return { app, serverOptions: { IncomingMessage: AppRequest, ServerResponse: AppResponse } }
}
