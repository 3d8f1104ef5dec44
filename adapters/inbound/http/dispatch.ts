/**
 * The protocol endpoints, matched by exact path before Express: they get more requests than everything else,
 * and need nothing of what the framework does per request.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

export interface Endpoint {
  /** A path that ends in a slash takes one more segment. */
  readonly path: string
  /** HEAD is answered as GET, without the body. */
  readonly handlers: Readonly<Partial<Record<'GET' | 'POST' | 'OPTIONS', Handler>>>
}

/** Everything at a path and below it, whatever the method. */
export interface Mount {
  readonly under: string
  readonly handler: Handler
}

const pathOf = (url: string): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/**
 *
 * @param otherwise handles everything else, including a known path with another method
 * @param mounts tried if no endpoint has the path
 * @param failed called with errors of handlers; the client gets a bare 500
 */
export const dispatch = (
  endpoints: readonly Endpoint[],
  otherwise: RequestListener,
  failed: (error: unknown) => void,
  mounts: readonly Mount[] = [],
): RequestListener => {
  const byPath = new Map(endpoints.map(({ path, handlers }) => [path, handlers]))
  const run = async (handler: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await handler(request, response)
    } catch (error) {
      failed(error)
      if (!response.headersSent) response.writeHead(500, { 'Cache-Control': 'no-store' })
      response.end()
    }
  }
  return (request, response) => {
    const path = pathOf(request.url ?? '')
    const handlers = byPath.get(path) ?? byPath.get(path.slice(0, path.lastIndexOf('/') + 1))
    const { method } = request
    const handler =
      method === 'GET' || method === 'HEAD'
        ? handlers?.GET
        : method === 'POST' || method === 'OPTIONS'
          ? handlers?.[method]
          : undefined
    const mount = mounts.find(({ under }) => path === under || path.startsWith(`${under}/`))
    if (mount !== undefined) void run(mount.handler, request, response)
    else if (handler === undefined) otherwise(request, response)
    else void run(handler, request, response)
  }
}
