/** What an object holds under a name itself. What every object has, such as `constructor`, is not found. */
export const own = <Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
