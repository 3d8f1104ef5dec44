/** What users do with accounts at an identity provider while others keep copies. */
import { expect } from 'chai'
import type { Copy, CopyUser, Subject } from './privilege-copies.ts'
import type { FederatedCopy, Federation } from './privilege-federation.ts'
import type { Model, ModelPerson, Step } from './privilege-model.ts'
import type { TestService } from '../service/service.ts'

interface Hands {
  readonly copies: CopyUser
  readonly record: (person: Subject) => Promise<{ readonly status: string }>
  readonly keep: (model: Model, copy: Copy) => void
  readonly newest: (model: Model, subject: Subject, kind: Copy['kind']) => Copy | undefined
  readonly count: (what: string) => void
}

export const federatedMoves = (
  service: TestService,
  federation: Federation,
  { copies, record, keep, newest, count }: Hands,
): Readonly<Record<string, (model: Model, step: Step) => Promise<void>>> => {
  const keepFederated = (model: Model, person: ModelPerson, copy: FederatedCopy | null): void => {
    if (copy === null) return
    keep(model, { ...copy, subject: person, raises: person.raises, email: person.email })
  }

  return {
    arrive: async (model, { of }) => {
      const person = model.people[of]!
      if ((await record(person)).status !== 'active') return
      keepFederated(model, person, await federation.arrive(person))
    },
    link_up: async (model, { of }) => {
      const person = model.people[of]!
      const copy = newest(model, person, 'pending link')
      if (copy?.kind !== 'pending link' || !(await federation.confirm(copy, person))) return
      person.account = copy.account
      count('linked')
    },
    leave: async (model, { of }) => {
      const person = model.people[of]!
      if (person.account !== undefined) keepFederated(model, person, await federation.leave(person.account))
    },
    link_own: async (model, { of }) => {
      const person = model.people[of]!
      if ((await record(person)).status !== 'active') return
      const as = await service.signIn(person.id, person.email)
      keepFederated(model, person, await federation.startLinking(as))
    },
    /** Copies gain nothing while something that they rest on is withdrawn. */
    withdraw: async (model, { of, choice }) => {
      const person = model.people[of]!
      if ((await record(person)).status !== 'active') return
      const { what, from, take, giveBack } = federation.withdrawals[choice % federation.withdrawals.length]!
      await take(person)
      for (const copy of model.copies)
        if (copy.subject === person && (from as readonly string[]).includes(copy.kind)) {
          expect(await copies.use(copy), `${copy.kind} without ${what}`).to.equal(null)
          count(`withdrawn: ${copy.kind}`)
        }
      await giveBack(person)
    },
  }
}
