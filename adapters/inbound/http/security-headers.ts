/** Security headers: API responses may load nothing; pages may load only files of their own origin. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet, { type HelmetOptions } from 'helmet'
import type { Headers } from './respond.ts'

const YEAR_SECONDS = 31_536_000

const hsts = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? { maxAge: YEAR_SECONDS, includeSubDomains: false } : false

/** Helmet sets the same headers on every response, so it runs only once. */
const headersOf = (options: HelmetOptions): Headers => {
  const headers: Record<string, string> = {}
  const taker = {
    setHeader: (name: string, value: string) => {
      headers[name] = value
    },
    removeHeader: () => undefined,
  }
  helmet(options)({} as unknown as IncomingMessage, taker as unknown as ServerResponse, () => undefined)
  return headers
}

/** Returns the headers of API responses, including `nosniff` and, if the public address uses https, HSTS. */
export const apiSecurityHeaders = (publicUrl: string): Headers =>
  headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: hsts(publicUrl),
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  })

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Returns the policy of a document that is only looked at, in a frame on our own pages: it runs nothing, sends nothing,
 * and applies only our own style sheets and the styles that it contains when it is sent. Its origin is opaque, so the
 * policy names ours.
 */
export const previewSecurityHeaders = (publicUrl: string, markup: string): Headers => {
  const elements = [...markup.matchAll(/<style>([^<]*)<\/style>/g)]
  const attributes = [...markup.matchAll(/ style="([^"]*)"/g)]
  const hashes = new Set([...elements, ...attributes].map(([, styles = '']) => hashOf(styles)))
  const { origin } = new URL(publicUrl)
  return headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [origin, ...(attributes.length === 0 ? [] : ["'unsafe-hashes'"]), ...hashes],
        imgSrc: [origin, 'data:'],
        formAction: ["'none'"],
        frameAncestors: ["'self'"],
        baseUri: ["'none'"],
        sandbox: [],
      },
    },
    strictTransportSecurity: hsts(publicUrl),
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'sameorigin' },
  })
}

export interface HtmlPageOptions {
  /** Origins besides our own that a form may be sent to; `anywhere` removes the restriction */
  readonly formAction?: readonly string[] | 'anywhere'
  /** Allows inline styles with this nonce; a page with one is different in each response. */
  readonly styleNonce?: string
  /** Addresses, without a query, of documents that the page frames; default: none */
  readonly frames?: readonly string[]
}

/** Returns the headers of pages: scripts and styles only from our own files, never inline; no framing, no caching. */
export const pageSecurityHeaders = (publicUrl: string, options: HtmlPageOptions = {}): Headers => {
  const { formAction = [], styleNonce, frames = [] } = options
  return {
    'Cache-Control': 'no-store',
    ...headersOf({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'", ...(styleNonce === undefined ? [] : [`'nonce-${styleNonce}'`])],
          imgSrc: ["'self'", 'data:'],
          connectSrc: ["'self'"],
          ...(formAction === 'anywhere' ? {} : { formAction: ["'self'", ...formAction] }),
          ...(frames.length === 0 ? {} : { frameSrc: frames }),
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
          requireTrustedTypesFor: ["'script'"],
        },
      },
      strictTransportSecurity: hsts(publicUrl),
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
    }),
  }
}
