import { Type } from 'typebox'
import type { Services } from '../commands/deps.ts'
import { route, type Route } from '../http/route.ts'
import { Time } from './schemas.ts'

const OutboxLetter = Type.Object(
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

/** Letters to look at while developing. Elsewhere there is no such route: they hold links that let people in. */
export const outboxRoutes = ({ mail: { outbox } }: Pick<Services, 'mail'>): readonly Route[] =>
  outbox === null
    ? []
    : [
        route({
          method: 'GET',
          path: '/dev/outbox',
          tag: 'Development',
          summary: 'Letters sent of late, newest first',
          description: 'Only with SVC_DEV=1; of this process, 100 at most.',
          access: { credentials: ['none'] },
          result: Type.Array(OutboxLetter),
          status: 200,
          errors: [],
          handle: () => Promise.resolve({ body: outbox.list() }),
        }),
      ]
