/** The REST API of a running conformance suite of the OpenID Foundation, as far as a run of its plans needs it. */

export interface SuiteModule {
  readonly testModule: string
  readonly variant?: Readonly<Record<string, string>>
}

export interface Plan {
  readonly id: string
  readonly modules: readonly SuiteModule[]
}

/** An address that a module wants the user's browser to open. */
export interface Visit {
  readonly url: string
  readonly method: 'GET' | 'POST'
}

/** What a check of the suite reported. */
export interface Finding {
  readonly result?: string
  readonly src: string
  readonly msg?: string
}

interface Placeholder {
  /** Absent once there is nothing to upload. */
  readonly upload?: string
  readonly img?: string
}

type Query = Readonly<Record<string, string>>

/** @param token of the suite's API; a suite in development mode needs none */
export const suiteAt = (origin: string, token?: string) => {
  const send = async (method: string, path: string, query: Query = {}, body?: string, type?: string) => {
    const url = new URL(`/api/${path}`, origin)
    url.search = new URLSearchParams(query).toString()
    const response = await fetch(url, {
      method,
      headers: {
        'Content-Type': type ?? 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(
        `the suite answered ${String(response.status)} to ${method} ${path}: ${text.slice(0, 300)}`,
      )
    return text
  }
  const json = async <T>(...request: Parameters<typeof send>): Promise<T> =>
    JSON.parse(await send(...request)) as T

  return {
    version: async (): Promise<string> => {
      const { version, revision } = await json<{ version: string; revision: string }>('GET', 'server')
      return `${version} (${revision})`
    },
    createPlan: (planName: string, variant: object, configuration: object): Promise<Plan> =>
      json('POST', 'plan', { planName, variant: JSON.stringify(variant) }, JSON.stringify(configuration)),
    /** Starts a module; returns the id of its run. */
    start: async (plan: string, { testModule, variant = {} }: SuiteModule): Promise<string> =>
      (
        await json<{ id: string }>('POST', 'runner', {
          test: testModule,
          plan,
          variant: JSON.stringify(variant),
        })
      ).id,
    state: (run: string): Promise<{ status: string; result?: string }> => json('GET', `info/${run}`),
    /** The addresses that the browser has not opened yet. */
    visits: async (run: string): Promise<readonly Visit[]> => {
      const { browser } = await json<{ browser?: { urlsWithMethod?: readonly Visit[] } }>(
        'GET',
        `runner/${run}`,
      )
      return browser?.urlsWithMethod ?? []
    },
    visited: (run: string, { url }: Visit) => send('POST', `runner/browser/${run}/visit`, { url }),
    /** The screenshots that the module waits for. */
    wanted: async (run: string): Promise<readonly string[]> =>
      (await json<readonly Placeholder[]>('GET', `log/${run}/images`)).flatMap(({ upload, img }) =>
        upload === undefined || img !== undefined ? [] : [upload],
      ),
    upload: (run: string, placeholder: string, png: Buffer) => {
      const data = `data:image/png;base64,${png.toString('base64')}`
      return send('POST', `log/${run}/images/${placeholder}`, {}, data, 'text/plain')
    },
    log: (run: string): Promise<readonly Finding[]> => json('GET', `log/${run}`),
    stop: (run: string) => send('DELETE', `runner/${run}`),
  }
}

export type Suite = ReturnType<typeof suiteAt>
