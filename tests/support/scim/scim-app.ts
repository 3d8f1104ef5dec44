/** An application's SCIM service, built on scimmy-routers and with its data in memory; it can fail on demand. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import SCIMMY from 'scimmy'
import SCIMMYRouters from 'scimmy-routers'

// oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
type Json = any

/** How a request fails: a given response, no response, or a response lost after the work was done. */
export type Fault =
  | {
      readonly status: number
      readonly headers?: Record<string, string>
      /** Instead of a SCIM error. */
      readonly text?: string
    }
  | 'hang'
  | 'lost'

export interface ScimApp {
  readonly baseUrl: string
  readonly token: string
  /** By id. */
  readonly users: Map<string, Json>
  readonly named: (userName: string) => Json
  /** Every request, as `POST /Users`, with its body. */
  readonly requests: { readonly line: string; readonly body: Json; readonly headers: Json }[]
  /** Called for each request. @param filter of a list; empty if none */
  fault: (line: string, body: Json, filter: string) => Fault | null
  stop(): Promise<void>
}

let made = 0
const stores = new Map<string, Map<string, Json>>()
const storeOf = (context: Json): Map<string, Json> => stores.get(context) ?? new Map()

const declare = (): void => {
  SCIMMY.Config.set({ patch: true, filter: true } as Json)
  SCIMMY.Resources.declare(SCIMMY.Resources.User).extend(SCIMMY.Schemas.EnterpriseUser, false)
  SCIMMY.Resources.User.ingress((resource: Json, data: Json, context: Json) => {
    const users = storeOf(context)
    const taken = [...users.values()].find(
      (user) => user.id !== resource.id && user.userName.toLowerCase() === data.userName.toLowerCase(),
    )
    if (taken !== undefined) throw new SCIMMY.Types.Error(409, 'uniqueness', 'The user name is taken')
    if (resource.id !== undefined && !users.has(resource.id))
      throw new SCIMMY.Types.Error(404, null as Json, 'No such user')
    const id: string = resource.id ?? `remote-${String(++made)}`
    const user = { ...JSON.parse(JSON.stringify(data)), id }
    delete user.meta
    users.set(id, user)
    return user
  })
  SCIMMY.Resources.User.egress((resource: Json, context: Json) => {
    const users = storeOf(context)
    if (resource.id === undefined) {
      const all = [...users.values()]
      // Scimmy compares user names case-sensitively; RFC 7643 §4.1.1 does not. A list without the filter applied here
      // would end after twenty users, before the one who is searched for.
      const name: string | undefined = resource.filter?.[0]?.userName?.[1]
      return name === undefined
        ? (resource.filter?.match(all) ?? all)
        : all.filter(({ userName }) => userName.toLowerCase() === name.toLowerCase())
    }
    const user = users.get(resource.id)
    if (user === undefined) throw new SCIMMY.Types.Error(404, null as Json, 'No such user')
    return user
  })
  SCIMMY.Resources.User.degress((resource: Json, context: Json) => {
    storeOf(context).delete(resource.id)
  })
}
let declared = false

export const scimApp = async (): Promise<ScimApp> => {
  if (!declared) declare()
  declared = true
  const token = `token-${String(++made)}`
  const users = new Map<string, Json>()
  stores.set(token, users)
  const requests: { line: string; body: Json; headers: Json }[] = []
  const app = express()
  app.use(express.json({ type: ['application/scim+json'] }))
  const self: ScimApp = {
    baseUrl: '',
    token,
    users,
    requests,
    named: (userName) => [...users.values()].find((user) => user.userName === userName),
    fault: () => null,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
  app.use((request: Request, response: Response, next: () => void) => {
    const line = `${request.method} ${request.path.replace('/scim/v2', '')}`
    requests.push({ line, body: request.body, headers: request.headers })
    const fault = self.fault(
      line,
      request.body,
      typeof request.query['filter'] === 'string' ? request.query['filter'] : '',
    )
    if (fault === 'hang') return
    if (fault === 'lost') {
      response.end = (() => {
        request.socket.destroy()
        return response
      }) as Json
      next()
      return
    }
    if (fault === null) next()
    else {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value)
      if (fault.text !== undefined) return void response.status(fault.status).send(fault.text)
      response.status(fault.status).json({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(fault.status),
        detail: 'as the test wants it',
      })
    }
  })
  app.use(
    '/scim/v2',
    new SCIMMYRouters({
      type: 'bearer',
      handler: (request: Request) => {
        if (request.header('Authorization') !== `Bearer ${token}`) throw new Error('no such token')
        return 'svc'
      },
      context: () => token,
    } as Json) as Json,
  )
  const server: Server = createServer(app)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(self, {
    baseUrl: `http://localhost:${String((server.address() as AddressInfo).port)}/scim/v2`,
  })
}
