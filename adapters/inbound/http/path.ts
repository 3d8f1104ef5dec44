/** Paths as routes are declared with: `/users/{id}`. */

/** The name of the parameter that a segment is; undefined for a segment written out. */
export const parameterOf = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1]

/** Names of the parameters in a path, in order. */
export const pathParameters = (path: string): readonly string[] =>
  path.split('/').flatMap((segment) => parameterOf(segment) ?? [])
