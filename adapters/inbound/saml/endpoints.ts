/** The SAML endpoints that browsers open, with or without a request. */
import type { IncomingMessage } from 'node:http'
import { isId } from '../../../domain/ids.ts'
import { BodyProblem, readBody } from '../http/body.ts'
import type { Endpoint } from '../http/table.ts'
import { browserEndpoint } from '../sign-in/browser-endpoint.ts'
import type { BrowserAnswer, BrowserRequest } from '../sign-in/browser-request.ts'
import { queryOf } from '../http/form-body.ts'
import { readPost, readPostedResponse, readRedirect, type BoundMessage } from './binding.ts'
import { SamlRequestError } from './request-error.ts'
import { samlProviderPaths } from '../sign-in/callback-url.ts'
import { resumePaths } from '../sign-in/pending-sign-on.ts'
import type { SamlSignOn } from './sso.ts'

/** Fits a message of 64 KiB in percent-encoded base64, and the other parameters. */
const BODY_BYTES = 192 * 1024
const BODY_MS = 10_000
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

const redirected = ({ url = '' }: IncomingMessage): BoundMessage => {
  const start = url.indexOf('?')
  return readRedirect(start === -1 ? '' : url.slice(start + 1))
}

/** @throws SamlRequestError */
const posted = async <T>(request: IncomingMessage, read: (form: string) => T): Promise<T> => {
  if (!FORM.test(request.headers['content-type'] ?? '')) throw new SamlRequestError('the body is not a form')
  try {
    return read((await readBody(request, BODY_BYTES, BODY_MS)).toString('latin1'))
  } catch (error) {
    if (error instanceof BodyProblem)
      throw new SamlRequestError('the body is too large or did not arrive in time')
    throw error
  }
}

/**
 * The assertion consumer service. Browsers send a post of another site without cookies of this one, so the page that it
 * returns sends the response once more, with them.
 */
const consume = async (
  request: IncomingMessage,
  identityProviderId: string,
  { requestId }: BrowserRequest,
  { pages }: Parameters<typeof browserEndpoint>[1],
): Promise<BrowserAnswer> => {
  try {
    // The page's script puts the id into the path of an API request: anything else could lead it to another operation.
    if (!isId('identityProvider', identityProviderId))
      throw new SamlRequestError('the address names no identity provider')
    const { samlResponse, relayState } = await posted(request, readPostedResponse)
    return { status: 200, page: pages.providerResponse({ identityProviderId, samlResponse, relayState }) }
  } catch (error) {
    if (!(error instanceof SamlRequestError)) throw error
    const page = pages.error({
      status: 400,
      code: 'ERR_PROVIDER_FAILED',
      requestId,
      detail: error.message,
    })
    return { status: 400, page }
  }
}

/** @param deps what {@link browserEndpoint} requires */
export const samlEndpoints = (
  { begin, launch, resume }: SamlSignOn,
  deps: Parameters<typeof browserEndpoint>[1],
): readonly Endpoint[] => [
  {
    path: '/saml/sso',
    handlers: {
      GET: browserEndpoint(
        (request, browser) => begin(() => Promise.resolve().then(() => redirected(request)), browser, false),
        deps,
      ),
      POST: browserEndpoint(
        (request, browser) => begin(() => posted(request, readPost), browser, true),
        deps,
      ),
    },
  },
  {
    path: resumePaths.saml,
    handlers: {
      GET: browserEndpoint((request, browser) => resume(queryOf(request).get('authRequest'), browser), deps),
    },
  },
  // An empty id is an unknown application, too.
  ...['/saml/launch/', '/saml/launch/{id}'].map((path) => ({
    path,
    handlers: { GET: browserEndpoint((_, browser, { id = '' }) => launch(id, browser), deps) },
  })),
  {
    path: samlProviderPaths.acs,
    handlers: {
      POST: browserEndpoint((request, browser, { id = '' }) => consume(request, id, browser, deps), deps),
    },
  },
]
