import { payroll, success, type Json, type Place } from './support.ts'

/** What tests of API resources create and check, under unique names. */
export const apisOf = (place: () => Place) => {
  let n = 0
  const send: Place['send'] = (...args) => place().send(...args)
  return {
    /** An API resource with two scopes. */
    create: async (more: object = {}): Promise<Json> => {
      const api = `s${String(++n)}`
      return success(
        await send('POST', '/api-resources', {
          identifier: `https://api-${String(n)}.example.com`,
          name: `API ${String(n)}`,
          scopes: [{ name: `${api}:read`, description: 'Read' }, { name: `${api}:write` }],
          ...more,
        }),
        201,
      )
    },
    application: async (more: object = {}): Promise<Json> =>
      success(await send('POST', '/applications', payroll(`App ${String(++n)}`, more)), 201),
    grants: async (id: string): Promise<Json[]> => success(await send('GET', `/api-resources/${id}/grants`)),
    configuration: () => place().service.core.services.configuration.fresh(),
  }
}

export const scopesOf = (resource: Json): string[] => resource.scopes.map(({ name }: Json) => String(name))
