import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { isLocalHost } from '../../../domain/local-host.ts'
import type { Services } from '../../application/services/services.ts'
import { isLoopback } from '../../kernel/address-ranges.ts'
import { route, type Route } from '../http/route.ts'
import { Time } from '../http/schemas.ts'

const OutboxEmail = Type.Object(
  {
    to: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
    links: Type.Array(Type.String()),
    at: Time,
  },
  { title: 'OutboxLetter' },
)

/**
 * Returns sent emails, for development. Otherwise this route does not exist, because the emails contain sign-in links.
 */
export const outboxRoutes = ({ mail: { outbox } }: Pick<Services, 'mail'>): readonly Route[] =>
  outbox === null
    ? []
    : [
        route({
          method: 'GET',
          path: '/dev/outbox',
          tag: 'Development',
          summary: 'List recently sent emails, newest first',
          description:
            'Only with SVC_DEV=1, and only from this machine; the 100 newest emails of this process.',
          access: { credentials: ['none'] },
          result: Type.Array(OutboxEmail),
          status: 200,
          errors: ['ERR_FORBIDDEN'],
          handle: ({ http }) => {
            // The Host header is checked too: another site's name can be made to resolve to this machine (DNS
            // rebinding).
            const origin = `http://${http.host}`
            if (!isLoopback(http.ip) || !URL.canParse(origin) || !isLocalHost(new URL(origin).hostname))
              throw new DomainError('ERR_FORBIDDEN', 'The outbox is available on this machine only.')
            return Promise.resolve({ body: outbox.list() })
          },
        }),
      ]
