/** The SAML endpoints that browsers open, with or without a request. */
import type { IncomingMessage } from 'node:http'
import { BodyProblem, readBody } from '../http/body.ts'
import type { Endpoint } from '../http/table.ts'
import { browserEndpoint } from '../sign-in/browser-endpoint.ts'
import { queryOf } from '../http/form-body.ts'
import { readPost, readRedirect, type BoundMessage } from './binding.ts'
import { SamlRequestError } from './request-error.ts'
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
const posted = async (request: IncomingMessage): Promise<BoundMessage> => {
  if (!FORM.test(request.headers['content-type'] ?? '')) throw new SamlRequestError('the body is not a form')
  try {
    return readPost((await readBody(request, BODY_BYTES, BODY_MS)).toString('latin1'))
  } catch (error) {
    if (error instanceof BodyProblem)
      throw new SamlRequestError('the body is too large or did not arrive in time')
    throw error
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
      POST: browserEndpoint((request, browser) => begin(() => posted(request), browser, true), deps),
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
]
