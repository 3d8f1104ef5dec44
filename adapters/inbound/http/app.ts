import { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import type { Table } from './table.ts'

/** The Express application that all requests go through, and what the server in front of it has to be made with. */
export interface Shell {
  readonly app: Express
  /** For `createServer`: requests and responses as the application takes them. */
  readonly serverOptions: {
    readonly IncomingMessage: typeof IncomingMessage
    readonly ServerResponse: typeof ServerResponse
  }
}

/** Puts a table into an Express application; besides it, that application has nothing. */
export const createApp = (table: Table): Shell => {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')

  // Express gives each request and response its own prototypes. Those that have them from the start are left alone, which
  // takes two thirds of Express's share in the time of a request.
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
