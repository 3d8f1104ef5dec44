/** Which route a method and path mean. A segment written out is preferred to a parameter. */
import type { Declared, Method } from './declaration.ts'
import { parameterOf } from './path.ts'

export interface Matched<R> {
  readonly route: R
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>
}

export type Matcher<R> = (method: Method, path: string) => Matched<R> | undefined

/** `/users/{id}` and `/users/{user}` are the same place. */
const placeOf = (path: string): string => path.replace(/\{\w+\}/g, '{}')

const decode = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const literalFirst = (one: readonly string[], other: readonly string[]): number => {
  const at = one.findIndex(
    (segment, i) => (parameterOf(segment) === undefined) !== (parameterOf(other[i] ?? '') === undefined),
  )
  return at === -1 ? 0 : parameterOf(one[at] ?? '') === undefined ? -1 : 1
}

/** @throws Error when two routes share a method and place */
export const matcher = <R extends Pick<Declared, 'method' | 'path'>>(routes: readonly R[]): Matcher<R> => {
  const byShape = new Map<string, { route: R; segments: readonly string[] }[]>()
  const taken = new Set<string>()
  for (const route of routes) {
    const place = `${route.method} ${placeOf(route.path)}`
    if (taken.has(place)) throw new Error(`two routes with the same method and path: ${place}`)
    taken.add(place)
    const segments = route.path.split('/')
    const shape = `${route.method} ${segments.length}`
    const alike = byShape.get(shape) ?? []
    alike.push({ route, segments })
    byShape.set(shape, alike)
  }
  for (const alike of byShape.values()) alike.sort((one, other) => literalFirst(one.segments, other.segments))

  return (method, path) => {
    const asked = path.split('/').map(decode)
    for (const { route, segments } of byShape.get(`${method} ${asked.length}`) ?? []) {
      const params: Record<string, string> = {}
      const fits = segments.every((segment, at) => {
        const value = asked[at]
        const name = parameterOf(segment)
        if (value === undefined || name === undefined) return value === segment
        params[name] = value
        return value !== ''
      })
      if (fits) return { route, params }
    }
    return undefined
  }
}
