/** A browser without pages: keeps cookies of one site and follows one redirect at a time. */
export interface PlainBrowser {
  /** Opens a page. @returns status and where it redirects, absolute */
  readonly open: (url: string) => Promise<{ readonly status: number; readonly location: string | null }>
  /** Calls the API as a page of this site does. */
  readonly post: (url: string, body: unknown) => Promise<{ readonly status: number; readonly json: unknown }>
  /** The Cookie header for the service */
  readonly cookies: () => string
  readonly has: (prefix: string) => boolean
  readonly set: (name: string, value: string) => void
}

/** @param site the origin whose cookies are kept */
export const plainBrowser = (site: string): PlainBrowser => {
  const jar = new Map<string, string>()
  const keep = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
  }
  const cookies = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    cookies,
    has: (prefix) => [...jar.keys()].some((name) => name.startsWith(prefix)),
    set: (name, value) => jar.set(name, value),
    post: async (url, body) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...{ cookie: cookies(), 'content-type': 'application/json' },
          ...{ origin: new URL(site).origin, 'sec-fetch-site': 'same-origin' },
        },
        body: JSON.stringify(body),
      })
      keep(response)
      return { status: response.status, json: await response.json() }
    },
    open: async (url) => {
      const own = new URL(url).origin === new URL(site).origin
      const response = await fetch(url, {
        redirect: 'manual',
        headers: own ? { cookie: cookies(), 'sec-fetch-site': 'cross-site' } : {},
      })
      if (own) keep(response)
      await response.body?.cancel()
      const location = response.headers.get('location')
      return { status: response.status, location: location === null ? null : new URL(location, url).href }
    },
  }
}
