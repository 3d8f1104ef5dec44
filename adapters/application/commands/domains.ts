import { DomainError } from '../../../domain/errors.ts'
import {
  dnsDomainDecider,
  dnsDomainStream,
  recordOf,
  type DnsDomainCommand,
} from '../../../domain/dns-domain/decider.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  countDomains,
  domainsToCheck,
  findDomain,
  type DomainRow,
} from '../../../read-models/queries/domains.ts'
import { providersOfDomain } from '../../../read-models/queries/identity-providers.ts'
import { DnsUnavailable } from '../../engines/egress/text-records.ts'
import { idsFor } from '../../kernel/ids.ts'
import { someAtATime } from '../../kernel/some-at-a-time.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { PROVIDER_USE } from './references.ts'

const DOMAINS = 'domains'
const TOKEN_BYTES = 24
const CHECK_SECONDS = 86_400
/** Lookups of the daily check at the same time: one that is not answered takes seconds. */
const AT_ONCE = 10

/** What is kept and shown of the records that were found instead. */
const MAX_SHOWN = 5
const MAX_LENGTH = 200

const shortened = (values: readonly string[]): readonly string[] =>
  values.slice(0, MAX_SHOWN).map((value) =>
    // Postgres stores no U+0000; control characters have no place on a page.
    value.replaceAll(/\p{Cc}/gu, '?').slice(0, MAX_LENGTH),
  )

const notFound = ({ name, token }: DomainRow, foundInstead: readonly string[]): DomainError => {
  const { recordName, recordValue } = recordOf(name, token)
  const instead =
    foundInstead.length === 0 ? 'no TXT record' : foundInstead.map((value) => `"${value}"`).join(', ')
  return new DomainError(
    'ERR_NOT_VERIFIED',
    `Expected the TXT record "${recordValue}" at ${recordName}, and found ${instead}.`,
  )
}

export const domainCommands = (
  services: Pick<Services, 'handle' | 'locks' | 'pool' | 'reservations' | 'clock' | 'random' | 'dns'>,
) => {
  const { handle, locks, pool, reservations, clock, random, dns } = services
  const send = (command: DnsDomainCommand, actor: Actor) =>
    handle(dnsDomainDecider, dnsDomainStream(command.domainId), command, actor)

  /**
   * Looks up the record and records what has changed.
   * @throws DnsUnavailable
   */
  const check = async (domain: DomainRow, requested: boolean, actor: Actor) => {
    const { id: domainId, name, token } = domain
    const { recordName, recordValue } = recordOf(name, token)
    const values = await dns.textRecords(recordName)
    const found = values.includes(recordValue)
    const foundInstead = found ? [] : shortened(values)
    await pool.query(
      `insert into work.domain_check (domain_id, checked_at, found_instead) values ($1, $2, $3)
       on conflict (domain_id) do update set checked_at = excluded.checked_at, found_instead = excluded.found_instead`,
      [domainId, clock.now(), foundInstead],
    )
    const { version } = await send({ type: 'check', domainId, found, requested, now: clock.now() }, actor)
    return { version, found, foundInstead }
  }

  return {
    /** @throws DomainError ERR_INVALID, ERR_CONFLICT if the domain was added already, or there are too many */
    create: (name: string, actor: Actor) =>
      locks.alone(DOMAINS, async () => {
        const domainId: Id<'domain'> = idsFor(actor.idempotencyKey).newId('domain')
        const count = await countDomains(pool)
        const token = random(TOKEN_BYTES).toString('base64url')
        const { version } = await reservations.under(
          [{ kind: 'domain_name', value: name, owner: domainId }],
          () => send({ type: 'create', domainId, name, token, count }, actor),
        )
        return { domainId, version }
      }),

    /**
     * Checks the record now.
     * @throws DomainError ERR_NOT_FOUND, ERR_NOT_VERIFIED that names what was found, ERR_UNAVAILABLE if the DNS
     * servers did not answer
     */
    verify: async (domainId: string, actor: Actor): Promise<number> => {
      const domain = await findDomain(pool, domainId)
      if (domain === null) throw new DomainError('ERR_NOT_FOUND')
      const checked = await check(domain, true, actor).catch((error: unknown) => {
        if (!(error instanceof DnsUnavailable)) throw error
        throw new DomainError('ERR_UNAVAILABLE', 'The DNS servers did not answer. Try again.')
      })
      if (!checked.found) throw notFound(domain, checked.foundInstead)
      return checked.version
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT naming the identity provider that uses the domain */
    delete: (domainId: string, actor: Actor) =>
      locks.alone(PROVIDER_USE, async () => {
        const domain = await findDomain(pool, domainId)
        const users = domain === null ? [] : await providersOfDomain(pool, domain.name)
        return send({ type: 'delete', domainId, usedBy: users.map(({ name }) => name) }, actor)
      }),

    /** Checks verified domains once a day. A check without an answer is repeated in the next run. */
    checkAgain: async (actor: () => Actor): Promise<void> => {
      const due = await domainsToCheck(pool, clock.in(-CHECK_SECONDS))
      await someAtATime(due, AT_ONCE, async (id) => {
        const domain = await findDomain(pool, id)
        if (domain === null) return
        await check(domain, false, actor()).catch((error: unknown) => {
          if (!(error instanceof DnsUnavailable)) throw error
        })
      })
    },
  }
}
