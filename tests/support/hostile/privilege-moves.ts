/**
 * What happens in an organization while less privileged administrators and users who can read others' mail keep copies
 * of what they see.
 */
import { expect } from 'chai'
import fc, { type Arbitrary } from 'fast-check'
import type { MailPeer } from '../mail/mail.ts'
import { linkIn } from '../mail/mail.ts'
import { copyUser, isOutdated, tokenOf, type Copy, type Subject } from './privilege-copies.ts'
import { federatedMoves } from './privilege-federated-moves.ts'
import type { Federation } from './privilege-federation.ts'
import type { Model, ModelPerson, Step } from './privilege-model.ts'
import type { TestPerson, TestService } from '../service/service.ts'
import { until } from '../until.ts'

const kinds = [
  ...['reinvite', 'enrol', 'reset', 'begin', 'ask', 'move', 'confirm', 'confirm', 'join', 'suspend'],
  ...['key', 'make_key', 'turn', 'raise', 'raise', 'lower', 'race', 'sign_in', 'administer'],
  ...['arrive', 'link_up', 'leave', 'link_own', 'withdraw'],
] as const

export const steps = (most: number): Arbitrary<readonly Step[]> =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), of: fc.nat(2), choice: fc.nat(7) }), {
    minLength: Math.ceil(most / 2),
    maxLength: most,
  })

const SIGN_IN = 'Sign in to Identity service'
const CONFIRM = 'Confirm your email address'
const INVITATION = 'Set up your account at Identity service'
const RESET = 'Your sign-in methods were reset'

const roleChoices = ['user_admin', 'auditor', 'global_admin', 'helpdesk_admin'] as const

let made = 0

/** @param count called with everything that happened */
export const privilegeMoves = (
  service: TestService,
  peer: MailPeer,
  root: TestPerson,
  federation: Federation,
  count: (what: string) => void,
) => {
  const copies = copyUser(service, federation)

  const send = async (as: TestPerson, method: string, path: string, body?: object, key?: string) =>
    service.api(method, path, {
      as,
      body: method === 'GET' ? undefined : (body ?? {}),
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    })

  const asRoot = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await send(root, method, path, body)
    expect(status, `${method} ${path}: ${JSON.stringify(answer)}`).to.be.lessThan(300)
    return answer
  }

  const emailsTo = (email: string, subject: string) =>
    peer.received.filter(({ to, mail }) => to.includes(email) && mail.subject === subject)

  /** The link in the email that an action sends. @param path of the link */
  const mailed = async <T>(
    email: string,
    subject: string,
    path: string,
    act: () => Promise<T>,
    isSent: (answer: T) => boolean,
  ): Promise<readonly [answer: T, token: string | null]> => {
    const before = emailsTo(email, subject).length
    const answer = await act()
    if (!isSent(answer)) return [answer, null]
    await until(() => emailsTo(email, subject).length > before, 10_000, `"${subject}" to ${email}`)
    return [answer, tokenOf(linkIn(emailsTo(email, subject).at(-1)!, path))]
  }

  const keep = (model: Model, copy: Copy): void => {
    model.copies.push(copy)
    count(`copy: ${copy.kind}`)
  }

  const keepLinks = (
    model: Model,
    subject: Subject,
    from: string,
    tokens: readonly (string | null)[],
  ): void => {
    for (const token of tokens)
      if (token !== null) keep(model, { subject, raises: subject.raises, kind: 'link', token, from })
  }

  const newest = (model: Model, subject: Subject, kind: Copy['kind']): Copy | undefined =>
    model.copies.findLast((copy) => copy.subject === subject && copy.kind === kind && !isOutdated(copy))

  const link = (model: Model, person: ModelPerson): string | null => {
    const newestLink = newest(model, person, 'link')
    return newestLink?.kind === 'link' ? newestLink.token : null
  }

  /** A link created by one of the observers: its response, its email, and the request that sends it again. */
  const issue = async (
    model: Model,
    person: ModelPerson,
    by: TestPerson,
    act: 'invite' | 'reset-methods',
  ): Promise<void> => {
    const key = `again-${String(++made)}`
    const path = `/users/${person.id}/${act}`
    const [subject, what] = act === 'invite' ? [INVITATION, 'reinvited'] : [RESET, 'reset']
    const before = emailsTo(person.email, subject).length
    const answer = await send(by, 'POST', path, {}, key)
    if (answer.status >= 400) return count(`${act} refused`)
    count(what)
    const shown = tokenOf(answer.body.enrollUrl)
    keepLinks(model, person, 'shown', [shown])
    keep(model, { subject: person, raises: person.raises, kind: 'request', path, by, key })
    if (answer.body.emailed !== true) return
    await until(() => emailsTo(person.email, subject).length > before, 10_000, subject)
    keepLinks(model, person, 'mailed', [tokenOf(linkIn(emailsTo(person.email, subject).at(-1)!, '/enroll/'))])
  }

  const record = (person: Subject) => asRoot('GET', `/users/${person.id}`)

  const accountPath = ({ kind, id }: Subject): string =>
    kind === 'person' ? `/users/${id}` : `/service-accounts/${id}`

  const setRoles = async (subject: Subject, roles: readonly string[]): Promise<void> => {
    const before: readonly string[] = (await rolesOf(subject)) as readonly string[]
    await asRoot('PUT', `${accountPath(subject)}/roles`, { roles })
    if (roles.some((role) => !before.includes(role))) subject.raises++
  }
  const rolesOf = async (subject: Subject): Promise<unknown> => {
    const answer = await asRoot('GET', accountPath(subject))
    return subject.kind === 'person' ? answer.roleKeys : answer.roles
  }
  const raise = async (subject: Subject, choice: number): Promise<void> => {
    const held = (await rolesOf(subject)) as readonly string[]
    const more = roleChoices[choice % roleChoices.length]!
    await setRoles(subject, [...new Set([...held, more])])
    count(held.includes(more) ? 'raised to what they were' : `raised: ${subject.kind}`)
  }

  const keyBody = (choice: number) => ({ name: 'k', scopes: [choice & 1 ? 'scim' : 'api'] })
  const keepKey = (
    model: Model,
    account: Subject,
    raises: number,
    body: { key?: string },
    choice: number,
  ) => {
    if (body.key === undefined) return
    keep(model, { subject: account, raises, kind: 'key', key: body.key, scope: choice & 1 ? 'scim' : 'api' })
  }

  /** A user whom a user administrator has invited, or who exists already. */
  const newPerson = async (model: Model) => {
    const email = `held${String(++made)}@example.com`
    const [answer, token] = await mailed(
      email,
      INVITATION,
      '/enroll/',
      () => send(model.lesser, 'POST', '/users', { email, name: 'Held' }, `first-${email}`),
      ({ body }) => body.emailed === true,
    )
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    const person: ModelPerson = { kind: 'person', id: answer.body.id, raises: 0, email, requestedLinks: 0 }
    keepLinks(model, person, 'first', [tokenOf(answer.body.enrollUrl), token])
    return person
  }

  const moves: Readonly<Record<string, (model: Model, step: Step) => Promise<void>>> = {
    reinvite: (model, { of, choice }) =>
      issue(model, model.people[of]!, choice & 1 ? model.lesser : model.helper, 'invite'),
    reset: (model, { of }) => issue(model, model.people[of]!, model.helper, 'reset-methods'),
    begin: async (model, { of }) => {
      const person = model.people[of]!
      const token = link(model, person)
      if (token === null) return
      const begun = await copies.begin(token, { subject: person, raises: person.raises })
      for (const copy of begun) keep(model, copy)
    },
    enrol: async (model, { of }) => {
      const token = link(model, model.people[of]!)
      if (token !== null && (await copies.enrolFor(token))) count('enrolled')
    },
    ask: async (model, { of }) => {
      const person = model.people[of]!
      const { email, status, emailVerified } = await record(person)
      if (person.requestedLinks >= 2) return
      person.requestedLinks++
      const [, token] = await mailed(
        email,
        SIGN_IN,
        '/magic-link/',
        () => send(root, 'POST', '/auth/magic-link', { email }),
        () => status === 'active' && emailVerified,
      )
      const held = { subject: person, raises: person.raises }
      if (token !== null) keep(model, { ...held, kind: 'link to sign in', token })
    },
    move: async (model, { of }) => {
      const person = model.people[of]!
      const email = `moved${String(++made)}@example.com`
      const { status } = await record(person)
      const [answer, token] = await mailed(
        email,
        CONFIRM,
        '/verify-email/',
        () => send(model.lesser, 'PATCH', `/users/${person.id}`, { email }),
        (changed) => changed.status === 200 && status === 'active',
      )
      if (answer.status !== 200) return count('move refused')
      person.email = email
      const held = { subject: person, raises: person.raises }
      if (token !== null) keep(model, { ...held, kind: 'confirmation email', token })
    },
    confirm: async (model, { of }) => {
      const confirmation = newest(model, model.people[of]!, 'confirmation email')
      if (confirmation !== undefined && (await copies.use(confirmation)) !== null) count('confirmed')
    },
    join: async (model, { of, choice }) => {
      const path = `/groups/${model.groupId}/members/${model.people[of]!.id}`
      await send(model.lesser, choice & 1 ? 'PUT' : 'DELETE', path)
    },
    suspend: async (model, { of, choice }) => {
      await send(
        model.lesser,
        'POST',
        `/users/${model.people[of]!.id}/${choice & 1 ? 'suspend' : 'reactivate'}`,
      )
    },
    key: async (model, { of, choice }) => {
      const account = model.accounts[of % 2]!
      const { status, body } = await send(
        model.lesser,
        'POST',
        `/service-accounts/${account.id}/keys`,
        keyBody(choice),
      )
      if (status >= 400) count('key refused')
      keepKey(model, account, account.raises, body, choice)
    },
    // Creates a key with a user who may do so. The observers keep a copy too, and it is valid until the next role
    // change.
    make_key: async (model, { of, choice }) => {
      const account = model.accounts[of % 2]!
      const { status, body } = await send(
        root,
        'POST',
        `/service-accounts/${account.id}/keys`,
        keyBody(choice),
      )
      if (status < 300) keepKey(model, account, account.raises, body, choice)
    },
    turn: async (model, { of, choice }) => {
      await send(
        root,
        'POST',
        `/service-accounts/${model.accounts[of % 2]!.id}/${choice & 1 ? 'disable' : 'enable'}`,
      )
    },
    raise: (model, { of, choice }) => raise(choice & 4 ? model.people[of]! : model.accounts[of % 2]!, choice),
    lower: (model, { of, choice }) => setRoles(choice & 4 ? model.people[of]! : model.accounts[of % 2]!, []),
    /** A user administrator creates keys at the moment when the account is granted another role. */
    race: async (model, { of, choice }) => {
      const account = model.accounts[of % 2]!
      const path = `/service-accounts/${account.id}`
      const before = account.raises
      const made = [0, 1].map(() => send(model.lesser, 'POST', `${path}/keys`, keyBody(choice)))
      const raised = raise(account, 1 + (choice & 2))
      for (const { body } of await Promise.all(made)) keepKey(model, account, before, body, choice)
      await raised
      count('race')
    },
    sign_in: async (model, { of }) => {
      const person = model.people[of]!
      if ((await record(person)).status !== 'active') return
      const as = await service.signIn(person.id, person.email)
      keep(model, { subject: person, raises: person.raises, kind: 'session', as })
    },
    ...federatedMoves(service, federation, { copies, record, keep, newest, count }),
    /** A user with a role lets a terminal act with it. */
    administer: async (model, { of, choice }) => {
      const person = model.people[of]!
      if ((await record(person)).status !== 'active') return
      if (((await rolesOf(person)) as readonly string[]).length === 0) await raise(person, choice)
      const roles = (await rolesOf(person)) as readonly string[]
      const { headers } = await copies.administer(await service.signIn(person.id, person.email))
      keep(model, { subject: person, raises: person.raises, kind: 'admin token', headers, roles })
    },
  }

  return {
    copies,

    newModel: async (): Promise<Model> => {
      const lesser = await service.person({}, ['user_admin'])
      const helper = await service.person({}, ['helpdesk_admin'])
      const people: ModelPerson[] = []
      const accounts: Subject[] = []
      const { id: groupId } = await asRoot('POST', '/groups', { name: `Group ${String(++made)}` })
      const model: Model = { people, accounts, groupId, copies: [], lesser, helper }
      for (let i = 0; i < 3; i++) people.push(await newPerson(model))
      for (let i = 0; i < 2; i++) {
        const account = { name: `Program ${String(++made)}` }
        const { body } = await send(lesser, 'POST', '/service-accounts', account)
        accounts.push({ kind: 'account', id: body.id, raises: 0 })
      }
      return model
    },

    take: async (model: Model, step: Step): Promise<void> => {
      await moves[step.kind]?.(model, step)
    },

    /** Grants a role that the subject lacks, whatever other roles it has. */
    raise: async (subject: Subject): Promise<void> => {
      await setRoles(subject, [])
      await raise(subject, 0)
    },

    /** The security state of a user: sign-in methods, sessions, and whether the address is verified. */
    accountOf: async (person: Subject): Promise<unknown> => {
      const { status, emailVerified, email } = await record(person)
      const methods = await asRoot('GET', `/users/${person.id}/methods`)
      const sessions = await asRoot('GET', `/users/${person.id}/sessions?status=active`)
      const links = await asRoot('GET', `/users/${person.id}/linked-accounts`)
      const [sessionIds, linkIds] = [sessions, links].map((rows: { id: string }[]) =>
        rows.map(({ id }) => id),
      )
      return { status, emailVerified, email, methods, sessions: sessionIds, links: linkIds }
    },

    /** Actions that the observers may not use on a user with more roles than they have. */
    tryDirectly: async ({ lesser, helper }: Model, subject: Subject): Promise<readonly number[]> => {
      const roles = (await rolesOf(subject)) as readonly string[]
      if (roles.length === 0 || (subject.kind === 'account' && roles.every((role) => role === 'user_admin')))
        return []
      const path = accountPath(subject)
      const tries =
        subject.kind === 'account'
          ? [send(lesser, 'POST', `${path}/keys`, keyBody(0))]
          : [
              send(lesser, 'POST', `${path}/invite`),
              send(helper, 'POST', `${path}/reset-methods`),
              send(lesser, 'PATCH', path, { email: `taken${String(++made)}@example.com` }),
            ]
      return (await Promise.all(tries)).map(({ status }) => status)
    },
  }
}
