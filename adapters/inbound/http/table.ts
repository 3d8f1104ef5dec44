/**
 * Everything the server answers, in one table: a request is looked up in it once, by its method and the segments of its
 * path, and whatever is not in it is refused in the format of its area.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parameterOf } from './path.ts'

/** Parameters of a path by name, percent-decoded. */
export type Params = Readonly<Record<string, string>>

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  params: Params,
) => Promise<void> | void

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type EndpointMethod = (typeof METHODS)[number]

export interface Endpoint {
  /** Segments written out, or `{name}` for any one that is not empty. */
  readonly path: string
  /** HEAD is answered as GET, without the body. */
  readonly handlers: Readonly<Partial<Record<EndpointMethod, Handler>>>
}

export type Kind = 'api' | 'oauth' | 'saml' | 'scim' | 'page' | 'asset' | 'health'

/** A part of the server: what its endpoints are, and how it refuses. */
export interface Area {
  readonly kind: Kind
  /** Its paths are these and all below them; `/` alone is whatever no other area has. */
  readonly under: readonly string[]
  /** Whether letter case and empty segments make no difference to its paths. */
  readonly lenient?: boolean
  /**
   * Answers requests that match no endpoint.
   * @param allowed the methods that the path has, HEAD among them; null for a path that is unknown
   */
  readonly refuse: (
    request: IncomingMessage,
    response: ServerResponse,
    allowed: readonly string[] | null,
  ) => Promise<void> | void
  /** Answers what a handler threw. */
  readonly failed: (error: unknown, request: IncomingMessage, response: ServerResponse) => void
}

/** An area with the endpoints that are its own. */
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
  /** Names of the parameters, in the order of the path. */
  readonly names: readonly string[]
}

interface Node {
  readonly literals: Map<string, Node>
  parameter: Node | null
  readonly targets: Map<string, Target>
  /** Set where an area begins. */
  area: Area | null
}

export interface RouteMatch {
  readonly area: Area
  /** Null where nothing answers this method at this path. */
  readonly match: { readonly handler: Handler; readonly params: Params } | null
  readonly allowed: readonly string[] | null
}

export interface Table {
  readonly rows: readonly Row[]
  /** @param path without the query, as it was sent */
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

/** The node that a declared path leads to, made where there is none, and the area that it lies in. */
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

/** Areas first: the path rules of an area apply to all endpoints below it. */
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
 * @throws Error when two endpoints share a method and path, or two areas a beginning
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
    /** The innermost area on the way. */
    let inside = everywhere

    /** A segment written out is preferred to a parameter, as far as the method is answered there. */
    const targetFrom = (node: Node, from: number, around: Area): Target | null => {
      const area = node.area ?? around
      if (node.area !== null) inside = area
      let at = from
      // A loop, because a path may have more empty segments than the stack has frames.
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
