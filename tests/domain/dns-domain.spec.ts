import {
  dnsDomainDecider,
  GRACE_SECONDS,
  MAX_DOMAINS,
  type DnsDomainCommand,
} from '../../domain/dns-domain/decider.ts'
import type { DnsDomainEvent } from '../../domain/dns-domain/events.ts'
import { secondsAfter } from '../../domain/time.ts'
import { given } from '../support/domain/given.ts'
import { id } from '../support/fixed.ts'

const domainId = id('domain', 1)
const name = 'example.com'
const token = 't'.repeat(32)
const now = '2026-11-24T10:00:00.000000Z'

const created: DnsDomainEvent = { type: 'domain.created', data: { domainId, name, token } }
const verified: DnsDomainEvent = { type: 'domain.verified', data: { domainId, name } }
const failed: DnsDomainEvent = { type: 'domain.verification_failed', data: { domainId, name } }
const missing: DnsDomainEvent = { type: 'domain.record_missing', data: { domainId, name, since: now } }
const lost: DnsDomainEvent = { type: 'domain.lost', data: { domainId, name } }
const deleted: DnsDomainEvent = { type: 'domain.deleted', data: { domainId, name } }

const create = (as: string, count = 0): DnsDomainCommand => ({
  type: 'create',
  domainId,
  name: as,
  token,
  count,
})
const check = (found: boolean, requested: boolean, at = now): DnsDomainCommand => ({
  ...{ type: 'check', domainId, found, requested, now: at },
})

describe('DNS domains', () => {
  for (const valid of ['example.com', 'a.b.c.example', 'xn--bcher-kva.example', '3com.com', 'x.co'])
    it(`API-12 ${valid} can be added`, () => {
      given(dnsDomainDecider)
        .when(create(valid))
        .then({ type: 'domain.created', data: { domainId, name: valid, token } })
    })
  for (const invalid of [
    ...['localhost', 'example', '.example.com', 'example..com', 'example.com.', '-a.example.com', 'a-.com'],
    ...['192.0.2.1', 'bücher.example', 'EXAMPLE.com', 'exam ple.com', '*.example.com', 'a@example.com'],
    ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(126)}com`, ''],
  ])
    it(`API-12 ${JSON.stringify(invalid)} is not a domain`, () => {
      given(dnsDomainDecider)
        .when(create(invalid))
        .refuses('ERR_INVALID', /^name: expected a domain such as/, '/name')
    })

  it('API-12 there are at most so many domains', () => {
    given(dnsDomainDecider)
      .when(create(name, MAX_DOMAINS))
      .refuses('ERR_CONFLICT', /maximum/)
    given(dnsDomainDecider, created).when(create(name)).refuses('ERR_CONFLICT')
  })

  const later = secondsAfter(now, GRACE_SECONDS)
  const early = secondsAfter(now, GRACE_SECONDS - 1)
  const checks: readonly (readonly [
    what: string,
    past: readonly DnsDomainEvent[],
    command: DnsDomainCommand,
    events: readonly DnsDomainEvent[],
  ])[] = [
    ['a new domain with its record', [created], check(true, true), [verified]],
    ['a new domain without it', [created], check(false, true), [failed]],
    ['a new domain without it, by the daily check', [created], check(false, false), []],
    ['a failed domain without it', [created, failed], check(false, true), []],
    ['a failed domain with it', [created, failed], check(true, true), [verified]],
    ['a verified domain with it', [created, verified], check(true, false), []],
    ['a verified domain without it', [created, verified], check(false, false), [missing]],
    ['a verified domain without it, asked', [created, verified], check(false, true), [missing]],
    ['the last second of grace', [created, verified, missing], check(false, false, early), []],
    ['the end of grace', [created, verified, missing], check(false, false, later), [lost]],
    ['a record that is back in time', [created, verified, missing], check(true, false, later), [verified]],
    [
      'a record that is lost a second time has its own grace',
      [created, verified, missing, verified],
      check(false, false, later),
      [{ ...missing, data: { ...missing.data, since: later } }],
    ],
    ['a lost domain with its record', [created, verified, missing, lost], check(true, true), [verified]],
    ['a lost domain without it', [created, verified, missing, lost], check(false, false), []],
  ]
  for (const [what, past, command, events] of checks)
    it(`API-12 a check of ${what}`, () => {
      const outcome = given(dnsDomainDecider, ...past).when(command)
      if (events.length === 0) outcome.changesNothing()
      else outcome.then(...events)
    })

  it('API-12 a domain of an identity provider cannot be deleted', () => {
    given(dnsDomainDecider, created)
      .when({ type: 'delete', domainId, usedBy: ['Contoso'] })
      .refuses('ERR_CONFLICT')
  })

  it('API-12 a deleted domain is gone', () => {
    given(dnsDomainDecider, created).when({ type: 'delete', domainId, usedBy: [] }).then(deleted)
    for (const command of [check(true, true), { type: 'delete', domainId, usedBy: [] } as const])
      given(dnsDomainDecider, created, deleted).when(command).refuses('ERR_NOT_FOUND')
  })
})
