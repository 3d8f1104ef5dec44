/**
 * The routing table of the server. One lookup finds the endpoint of a request by its method and the segments of its
 * path. Unknown requests are rejected in the format of their area.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parameterOf } from './path.ts'

/** Parameters of a path by name, percent-decoded */
export type Params = Readonly<Record<string, string>>

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  params: Params,
) => Promise<void> | void

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type EndpointMethod = (typeof METHODS)[number]

export interface Endpoint {
  /** Literal segments, or `{name}` for any non-empty segment */
  readonly path: string
  /** HEAD is handled like GET, without the body */
  readonly handlers: Readonly<Partial<Record<EndpointMethod, Handler>>>
}

export type Kind = 'api' | 'oauth' | 'saml' | 'scim' | 'page' | 'asset' | 'health'

/** A part of the server with its own format for errors. */
export interface Area {
  readonly kind: Kind
  /** Its path prefixes; `/` covers everything that belongs to no other area. */
  readonly under: readonly string[]
  /** Whether its paths ignore letter case and empty segments */
  readonly lenient?: boolean
  /**
   * Responds to requests that match no endpoint.
   * @param allowed the methods of the path, including HEAD; null for an unknown path
   */
  readonly refuse: (
    request: IncomingMessage,
    response: ServerResponse,
    allowed: readonly string[] | null,
  ) => Promise<void> | void
  /** Responds to an error that a handler threw. */
  readonly failed: (error: unknown, request: IncomingMessage, response: ServerResponse) => void
}

/** An area with its endpoints. */
export interface Part {
  readonly area: Area
  readonly endpoints: readonly Endpoint[]
}

export interface Row {
  readonly kind: Kind
  readonly method: EndpointMethod
  readonly path: string
}

interface Target extends Row {
  readonly area: Area
  readonly handler: Handler
  /** Names of the parameters, in the order of the path */
  readonly names: readonly string[]
}

interface Node {
  readonly literals: Map<string, Node>
  parameter: Node | null
  readonly targets: Map<string, Target>
  /** Set where an area starts */
  area: Area | null
}

export interface RouteMatch {
  readonly area: Area
  /** Null if there is no endpoint for this method and path */
  readonly match: { readonly handler: Handler; readonly params: Params } | null
  readonly allowed: readonly string[] | null
}

export interface Table {
  readonly rows: readonly Row[]
  /** @param path without the query, as sent */
  readonly find: (method: string, path: string) => RouteMatch
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

const newNode = (): Node => ({ literals: new Map(), parameter: null, targets: new Map(), area: null })

const segmentsOf = (path: string): readonly string[] => path.split('/').slice(1)

const pathOf = ({ url = '' }: IncomingMessage): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

const decoded = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

const spelled = (segment: string, area: Area | null): string =>
  area?.lenient === true ? segment.toLowerCase() : segment

/** Returns the node of a declared path, which is created if missing, and its area. */
const placeOf = (root: Node, path: string): { node: Node; area: Area | null; names: readonly string[] } => {
  let node = root
  let { area } = root
  const names: string[] = []
  for (const segment of segmentsOf(path)) {
    const name = parameterOf(segment)
    if (name === undefined) {
      const key = spelled(segment, area)
      const next = node.literals.get(key) ?? newNode()
      node.literals.set(key, next)
      node = next
    } else {
      names.push(name)
      node = node.parameter ??= newNode()
    }
    area = node.area ?? area
  }
  return { node, area, names }
}

/** Adds areas first, because the path rules of an area apply to all endpoints below it. */
const treeOf = (areas: readonly Area[], endpoints: readonly Endpoint[]): { root: Node; rows: Row[] } => {
  const root = newNode()
  for (const area of areas)
    for (const under of area.under) {
      const node = under === '/' ? root : placeOf(root, under).node
      if (node.area !== null) throw new Error(`two areas at ${under}: ${node.area.kind} and ${area.kind}`)
      node.area = area
    }
  const rows: Target[] = []
  for (const { path, handlers } of endpoints) {
    const { node, area, names } = placeOf(root, path)
    if (area === null) throw new Error(`no area has ${path}`)
    for (const method of METHODS) {
      const handler = handlers[method]
      if (handler === undefined) continue
      const other = node.targets.get(method)
      if (other !== undefined)
        throw new Error(`two endpoints with the same method and path: ${method} ${path} and ${other.path}`)
      const row = { kind: area.kind, method, path, area, handler, names }
      node.targets.set(method, row)
      rows.push(row)
    }
  }
  return { root, rows }
}

/**
 * @param areas one of them at `/`
 * @throws Error if two endpoints have the same method and path, or two areas the same prefix
 */
export const endpointTable = (areas: readonly Area[], endpoints: readonly Endpoint[]): Table => {
  const { root, rows } = treeOf(areas, endpoints)
  const everywhere = root.area
  if (everywhere === null) throw new Error('no area is at /')

  const find = (requestMethod: string, path: string): RouteMatch => {
    const method = requestMethod === 'HEAD' ? 'GET' : requestMethod
    const segments = segmentsOf(path)
    const values: string[] = []
    const allowed: string[] = []
    /** The innermost area so far */
    let inside = everywhere

    /** A literal segment takes precedence over a parameter if it has an endpoint for the method. */
    const targetFrom = (node: Node, from: number, around: Area): Target | null => {
      const area = node.area ?? around
      if (node.area !== null) inside = area
      let at = from
      // This is a loop, because a path may have more empty segments than the stack has frames.
      while (area.lenient === true && segments[at] === '') at++
      const segment = segments[at]
      if (segment === undefined) {
        const target = node.targets.get(method)
        if (target === undefined) allowed.push(...node.targets.keys())
        return target ?? null
      }
      const literal = node.literals.get(spelled(segment, area))
      const match = literal === undefined ? null : targetFrom(literal, at + 1, area)
      if (match !== null || node.parameter === null || segment === '') return match
      const value = decoded(segment)
      if (value === null) return null
      values.push(value)
      const target = targetFrom(node.parameter, at + 1, area)
      if (target === null) values.pop()
      return target
    }

    const target = targetFrom(root, 0, everywhere)
    if (target !== null) {
      const { area, handler, names } = target
      const params = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
      return { area, match: { handler, params }, allowed: null }
    }
    if (allowed.includes('GET')) allowed.push('HEAD')
    return { area: inside, match: null, allowed: allowed.length === 0 ? null : [...new Set(allowed)] }
  }

  return {
    rows,
    find,
    answer: async (request, response) => {
      const { area, match, allowed } = find(request.method ?? '', pathOf(request))
      try {
        await (match === null
          ? area.refuse(request, response, allowed)
          : match.handler(request, response, match.params))
      } catch (error) {
        area.failed(error, request, response)
      }
    },
  }
}
