/** Paths in the form of route declarations: `/users/{id}`. */

/** Returns the name of the parameter in a segment; undefined for a literal segment. */
export const parameterOf = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1]

/** Returns the names of the parameters in a path, in order. */
export const pathParameters = (path: string): readonly string[] =>
  path.split('/').flatMap((segment) => parameterOf(segment) ?? [])
