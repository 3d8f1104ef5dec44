import type { Services } from '../../application/services/services.ts'
import { route, type Route } from '../http/route.ts'
import { readers } from '../http/schemas.ts'
import { Operations } from './operations-schemas.ts'

export const operationsRoutes = ({
  status,
  version,
}: Pick<Services, 'status' | 'version'>): readonly Route[] => [
  route({
    method: 'GET',
    path: '/operations',
    tag: 'Settings',
    summary: 'Get the state of the event log and of its consumers',
    description:
      'As this instance sees it. A stopped consumer cannot process an event: the log of the instance says why.',
    access: readers,
    result: Operations,
    status: 200,
    errors: [],
    handle: async () => ({ body: { version, nodeVersion: process.versions.node, ...(await status()) } }),
  }),
]
