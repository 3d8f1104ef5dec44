import type { RequestOrigin } from '../http/request-origin.ts'
import type { HtmlPage } from './pages.ts'

/** What the browser receives. */
export type BrowserAnswer =
  /** `cookie`: a `Set-Cookie` that goes with it. */
  | { readonly location: string; readonly cookie?: string }
  | { readonly status: number; readonly page: HtmlPage }

/** What a request to these endpoints brings besides its parameters. */
export interface BrowserRequest extends RequestOrigin {
  readonly cookie: string | undefined
}
