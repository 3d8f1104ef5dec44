/** Security headers: nothing at all is allowed of API answers; pages live on their own origin's files alone. */
import type { RequestHandler } from 'express'
import helmet from 'helmet'

const YEAR_SECONDS = 31_536_000

const hsts = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? { maxAge: YEAR_SECONDS, includeSubDomains: false } : false

/** Answers of the API. `X-Powered-By` goes, `nosniff` comes; HSTS when the public address is https. */
export const apiSecurityHeaders = (publicUrl: string): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: hsts(publicUrl),
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  })

export interface PageOptions {
  /** Origins besides our own that a form may be sent to; `anywhere` names none and forbids none. */
  readonly formAction?: readonly string[] | 'anywhere'
  /** `same-origin` where our own requests need the path; nothing of a page's address ever leaves the origin. */
  readonly referrerPolicy?: 'no-referrer' | 'same-origin'
}

/** Pages: scripts and styles from our own files only, never inline; not framed, not cached. */
export const pageSecurityHeaders = (publicUrl: string, options: PageOptions = {}): RequestHandler => {
  const { formAction = [] } = options
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        ...(formAction === 'anywhere' ? {} : { formAction: ["'self'", ...formAction] }),
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
      },
    },
    strictTransportSecurity: hsts(publicUrl),
    referrerPolicy: { policy: options.referrerPolicy ?? 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  })
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store')
    headers(request, response, next)
  }
}
