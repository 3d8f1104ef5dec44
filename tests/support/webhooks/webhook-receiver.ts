import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request as an endpoint received it. */
export interface ReceivedWebhook {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Names of the headers, as sent. */
  readonly names: readonly string[]
  readonly body: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The response: a status, never any, or a custom one. */
export type Answer = number | 'hang' | ((response: ServerResponse) => void)

/** An endpoint on its own port. */
export const webhookReceiver = async (answers: (got: ReceivedWebhook, nth: number) => Answer = () => 200) => {
  const received: ReceivedWebhook[] = []
  const counts = new Map<string, number>()
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    open++
    most = Math.max(most, open)
    response.once('close', () => open--)
    void buffer(request).then((bytes) => {
      const path = request.url ?? ''
      const got = {
        path,
        method: request.method ?? '',
        headers: request.headers,
        names: request.rawHeaders.filter((_, index) => index % 2 === 0),
        body: bytes.toString(),
        at: Date.now(),
      }
      received.push(got)
      counts.set(path, (counts.get(path) ?? 0) + 1)
      const answer = answers(got, counts.get(path) ?? 0)
      if (typeof answer === 'function') answer(response)
      else if (answer !== 'hang') response.writeHead(answer, { Location: '/elsewhere' }).end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    port,
    /** The maximum number of concurrent requests. */
    most: () => most,
    at: (path: string): readonly ReceivedWebhook[] => received.filter((each) => each.path === path),
    url: (path: string): string => `http://127.0.0.1:${String(port)}${path}`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type WebhookReceiver = Awaited<ReturnType<typeof webhookReceiver>>

/** The fields of an envelope. */
export interface Envelope {
  readonly id: string
  readonly type: string
  readonly time: string
  readonly data: Readonly<Record<string, unknown>>
}

export const envelope = ({ body }: { readonly body: string }): Envelope => JSON.parse(body) as Envelope
