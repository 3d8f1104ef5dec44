/** The value of an object's own property. Inherited properties such as `constructor` are not found. */
export const own = <Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
