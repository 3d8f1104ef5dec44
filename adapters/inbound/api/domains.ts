import { domainToASCII } from 'node:url'
import { Type } from 'typebox'
import { recordOf } from '../../../domain/dns-domain/decider.ts'
import { findDomain, listDomains, type DomainRow } from '../../../read-models/queries/domains.ts'
import { domainCommands } from '../../application/commands/domains.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import {
  existing,
  listPageOf,
  printable,
  proven,
  readBack,
  readers,
  sorting,
  writers,
} from '../http/schemas.ts'
import { DnsDomain, DomainStatus } from './domain-schemas.ts'

const tag = 'Domains'
const params = fields({ id: idOf('domain') })

const toDomain = ({ token, ...domain }: DomainRow) => ({ ...domain, ...recordOf(domain.name, token) })

/** Returns a domain as it is stored; what cannot be one stays as it is, and is refused. */
const normalised = (typed: string): string => {
  const bare = typed.trim().replace(/\.$/, '')
  return domainToASCII(bare) || bare
}

/** Routes for the DNS domains of the organization. */
export const domainRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'reservations' | 'clock' | 'random' | 'dns'>,
): readonly Route[] => {
  const { pool } = services
  const domains = domainCommands(services)
  const read = async (id: string) => {
    const domain = await findDomain(pool, id)
    return domain === null ? null : toDomain(domain)
  }

  return [
    route({
      method: 'GET',
      path: '/domains',
      tag,
      summary: 'List domains',
      access: readers,
      query: listQuery({ ...sorting, status: Type.Optional(DomainStatus) }),
      result: Type.Array(DnsDomain),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listDomains(pool, query, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => toDomain(row))
      },
    }),
    route({
      method: 'POST',
      path: '/domains',
      tag,
      summary: 'Add a domain',
      description:
        'The response contains the TXT record to create. The domain is pending until `POST /domains/{id}/verify` finds it.',
      access: proven(writers('security_admin')),
      body: fields({ name: printable(253, 'a domain') }),
      result: DnsDomain,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['domain.add'],
      handle: async (request) => {
        const { domainId, version } = await domains.create(normalised(request.body.name), actorOf(request))
        return created(`/api/v1/domains/${domainId}`, await readBack(read(domainId), version))
      },
    }),
    route({
      method: 'GET',
      path: '/domains/{id}',
      tag,
      summary: 'Read a domain',
      access: readers,
      params,
      result: DnsDomain,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'POST',
      path: '/domains/{id}/verify',
      tag,
      summary: 'Verify a domain',
      description:
        'Looks up the TXT record now. If it is not there, the error names what was found instead. A verified domain is checked again every day; without its record for seven days, it is pending again.',
      access: proven(writers('security_admin')),
      params,
      result: DnsDomain,
      status: 200,
      errors: ['ERR_NOT_VERIFIED'],
      audit: ['domain.verify', 'domain.verify.fail'],
      handle: async (request) => {
        const { id } = request.params
        const version = await domains.verify(id, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/domains/{id}',
      tag,
      summary: 'Remove a domain',
      access: proven(writers('security_admin')),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['domain.remove'],
      handle: async (request) => {
        await domains.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
