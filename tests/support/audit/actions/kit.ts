import { expect } from 'chai'
import type { Json, Place } from '../../../http/api/support.ts'
import type { TestPerson } from '../../service/service.ts'

/** An audit entry; its summary may contain names that are known only after the step. */
export type Entry = readonly [action: string, summary: string | (() => string)]

/** A step, and every entry that records it. */
export type Step = readonly [what: string, entries: readonly Entry[], cause: () => Promise<unknown>]

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

export const uploadLogo = async (
  { publicUrl }: Place['service'],
  { cookie }: TestPerson,
  path: string,
): Promise<void> => {
  const answer = await fetch(`${publicUrl}/api/v1${path}`, {
    method: 'PUT',
    headers: { Cookie: cookie, Origin: publicUrl, 'Content-Type': 'image/png' },
    body: new Uint8Array(Buffer.from(PIXEL, 'base64')),
  })
  expect(answer.status, await answer.text()).to.equal(200)
}

/** Helpers for the steps of the audit trail test. Later steps use what earlier ones create. */
export const auditKit = ({ service, as, admin }: Place) => {
  const made: Record<string, string> = {}
  /** The user whom the steps create, once it exists; and two who request and approve access. */
  const people = { self: admin, requester: admin, approver: admin }
  const of = (name: string): string => made[name] ?? ''
  /** Returns a path in which `:name` is replaced by the id stored under that name. */
  const to = (text: string) => () => text.replace(/:(\w+)/g, (_, name: string) => of(name))
  const call =
    (method: string, path: () => string, body?: () => unknown, by: () => TestPerson = () => admin) =>
    async (): Promise<Json> => {
      const answer = await as(by())(method, path(), body?.())
      expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 204)
      return answer.body
    }
  const keep = (name: string, cause: () => Promise<Json>) => async () => {
    made[name] = (await cause()).id
  }
  return { service, as, admin, made, people, of, to, call, keep }
}

export type AuditKit = ReturnType<typeof auditKit>
