/** Credentials that someone other than the owner may have copied, and what using them gives. */
import { expect } from 'chai'
import type { FederatedCopy, Federation } from './privilege-federation.ts'
import { deviceWorld } from '../sign-in/device-authorization.ts'
import { authenticatorApp } from '../sign-in/sign-in-world.ts'
import type { TestPerson, TestService } from '../service/service.ts'
import { softPasskey } from '../sign-in/soft-passkey.ts'

/** A user or service account that may be given roles. */
export interface Subject {
  readonly kind: 'person' | 'account'
  readonly id: string
  /** How many times it was given roles. */
  raises: number
}

interface Held {
  readonly subject: Subject
  /** The subject's `raises` when the copy was made. */
  readonly raises: number
}

export type Copy = Held &
  (
    | { readonly kind: 'link'; readonly token: string; readonly from: string }
    | { readonly kind: 'passkey ceremony'; readonly token: string; readonly body: object }
    | {
        readonly kind: 'app ceremony'
        readonly token: string
        readonly ceremonyId: string
        readonly secret: string
      }
    | { readonly kind: 'link to sign in' | 'confirmation email'; readonly token: string }
    | { readonly kind: 'key'; readonly key: string; readonly scope: 'api' | 'scim' }
    | { readonly kind: 'request'; readonly path: string; readonly by: TestPerson; readonly key: string }
    | { readonly kind: 'session'; readonly as: TestPerson }
    | {
        readonly kind: 'admin token'
        readonly headers: Record<string, string>
        /** The roles of the user when they approved it: it may keep these, until they are removed. */
        readonly roles: readonly string[]
      }
    | (FederatedCopy & { readonly email: string })
  )

/** Whether its subject was given more roles since. */
export const isOutdated = ({ subject, raises }: Copy): boolean => raises < subject.raises

export const tokenOf = (url: unknown): string => String(url).split('/').at(-1) ?? ''

/** What only a role (and global administrators) may ask for, without effect. */
const asked: Readonly<Record<string, readonly [method: string, path: string]>> = {
  user_admin: ['POST', '/groups'],
  global_admin: ['PUT', '/users/usr_01JZ0000000000000000000001/roles'],
}

/** Uses copies on a service, each in every possible way. */
export const copyUser = (service: TestService, federation: Federation) => {
  const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    service.api('POST', path, { body, headers })

  /** @returns the access that it gave; null if none */
  const enrol = async (token: string): Promise<string | null> => {
    const path = `/auth/enroll/${token}`
    if ((await service.api('GET', path)).status < 400) return 'the page of the link'
    const app = await post(`${path}/authenticator`)
    if (app.status < 400) return 'an authenticator app begun'
    const begun = await post(`${path}/passkey/options`)
    return begun.status < 400 ? 'a passkey begun' : null
  }

  const withKey = async (key: string, scope: 'api' | 'scim'): Promise<string | null> => {
    const headers = { Authorization: `Bearer ${key}` }
    const path = scope === 'api' ? '/api/v1/users?limit=1' : '/scim/v2/Users?count=1'
    const { status } = await fetch(service.publicUrl + path, { headers })
    return status === 401 ? null : `${scope} by key: ${String(status)}`
  }

  /** @returns what the copy still gave access to; null if nothing */
  const use = async (copy: Copy): Promise<string | null> => {
    switch (copy.kind) {
      case 'link':
        return enrol(copy.token)
      case 'passkey ceremony': {
        const { status } = await post(`/auth/enroll/${copy.token}/passkey`, copy.body)
        return status < 400 ? 'a passkey added' : null
      }
      case 'app ceremony': {
        const { token, ceremonyId, secret } = copy
        const code = authenticatorApp(secret).code()
        const { status } = await post(`/auth/enroll/${token}/authenticator/verify`, { ceremonyId, code })
        return status < 400 ? 'an authenticator app added' : null
      }
      case 'link to sign in': {
        const { status } = await post('/auth/magic-link/redeem', { token: copy.token })
        return status < 400 ? 'a session' : null
      }
      case 'confirmation email': {
        const { status } = await post('/auth/verify-email', { token: copy.token })
        return status < 400 ? 'an address confirmed' : null
      }
      case 'key':
        return withKey(copy.key, copy.scope)
      case 'request': {
        const { by, key, path } = copy
        const again = await service.api('POST', path, {
          as: by,
          body: {},
          headers: { 'Idempotency-Key': key },
        })
        if (again.body?.enrollUrl === undefined) return null
        return enrol(tokenOf(again.body.enrollUrl))
      }
      case 'session': {
        const { status } = await service.api('GET', '/users?limit=1', { as: copy.as })
        return status < 400 ? `a list of users: ${String(status)}` : null
      }
      case 'pending link':
      case 'federated sign-in':
      case 'linking':
        return federation.use(copy, { id: copy.subject.id, email: copy.email })
      case 'admin token': {
        const gained = Object.entries(asked).filter(
          ([role]) => !copy.roles.includes(role) && !copy.roles.includes('global_admin'),
        )
        for (const [role, [method, path]] of gained) {
          const { status } = await service.api(method, path, { headers: copy.headers, body: {} })
          if (status !== 401 && status !== 403) return `what ${role} may do: ${String(status)}`
        }
        return null
      }
    }
  }

  return {
    use,
    administer: (as: TestPerson) => deviceWorld(service).administer(as),

    /** Begins an enrolment with a link, and leaves the last step for later. */
    begin: async (token: string, held: Held): Promise<readonly Copy[]> => {
      const path = `/auth/enroll/${token}`
      const passkey = await post(`${path}/passkey/options`)
      const app = await post(`${path}/authenticator`)
      if (passkey.status >= 400 || app.status >= 400) return []
      const { ceremonyId, publicKey } = passkey.body
      const credential = softPasskey(service.publicUrl).create(publicKey)
      return [
        { ...held, kind: 'passkey ceremony', token, body: { ceremonyId, credential } },
        { ...held, kind: 'app ceremony', token, ceremonyId: app.body.ceremonyId, secret: app.body.secret },
      ]
    },

    /** Enrols with a passkey by a link, if the link is valid. @returns whether it was */
    enrolFor: async (token: string): Promise<boolean> => {
      const begun = await post(`/auth/enroll/${token}/passkey/options`)
      if (begun.status >= 400) return false
      const credential = softPasskey(service.publicUrl).create(begun.body.publicKey)
      const body = { ceremonyId: begun.body.ceremonyId, credential }
      const { status, body: answer } = await post(`/auth/enroll/${token}/passkey`, body)
      expect(status, JSON.stringify(answer)).to.equal(200)
      return true
    },
  }
}

export type CopyUser = ReturnType<typeof copyUser>
