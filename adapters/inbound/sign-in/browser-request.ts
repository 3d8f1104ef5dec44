import type { Language } from '../../kernel/language.ts'
import type { RequestOrigin } from '../http/request-origin.ts'
import type { HtmlPage } from '../http/respond.ts'

/** The response to the browser */
export type BrowserAnswer =
  /** `cookie`: a `Set-Cookie` header to send */
  | { readonly location: string; readonly cookie?: string }
  | { readonly status: number; readonly page: HtmlPage }

/** The context of a request to these endpoints, besides its parameters. */
export interface BrowserRequest extends RequestOrigin {
  readonly cookie: string | undefined
  /** The language that the application asks for; null or omitted if it names none with pages */
  readonly language?: Language | null
}
