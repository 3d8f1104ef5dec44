import type { Page, Route } from 'playwright-core'

export interface ApiCalls {
  /** `POST /auth/code`, in the order in which the page sent them. */
  readonly calls: readonly string[]
  readonly count: (path: string) => number
  /** The bodies of the calls to a path. */
  readonly sent: (path: string) => readonly unknown[]
  /** Makes the next calls to a path name a ceremony that the service no longer knows. */
  readonly expireCeremonies: (path: string, times: number) => Promise<void>
  /** Whether every call loses its connection. */
  readonly cutOff: (isCut: boolean) => Promise<void>
}

const BASE = '/api/v1'

/** Listens to the requests of a page to the API. */
export const apiCalls = (page: Page): ApiCalls => {
  const made: { readonly path: string; readonly call: string; readonly body: unknown }[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith(`${BASE}/`)) return
    const path = pathname.slice(BASE.length)
    const body: unknown = request.postData() === null ? undefined : request.postDataJSON()
    made.push({ path, call: `${request.method()} ${path}`, body })
  })
  const at = (path: string) => made.filter((each) => each.path === path)
  return {
    get calls() {
      return made.map(({ call }) => call)
    },
    count: (path) => at(path).length,
    sent: (path) => at(path).map(({ body }) => body),
    expireCeremonies: async (path, times) => {
      const expire = (route: Route) => {
        const body = route.request().postDataJSON() as { readonly ceremonyId: string }
        return route.continue({ postData: JSON.stringify({ ...body, ceremonyId: `${body.ceremonyId}x` }) })
      }
      await page.route(`**${BASE}${path}`, expire, { times })
    },
    cutOff: async (isCut) => {
      if (isCut) await page.route(`**${BASE}/**`, (route) => route.abort())
      else await page.unroute(`**${BASE}/**`)
    },
  }
}
