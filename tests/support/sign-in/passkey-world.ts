import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import type { Role } from '../../../domain/roles.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'
import { softPasskey, type SoftPasskey } from './soft-passkey.ts'

/** A browser without pages: it keeps cookies and sends a user agent. */
export interface Jar {
  readonly cookies: Map<string, string>
  readonly headers: () => Record<string, string>
}

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

export const newJar = (userAgent = FIREFOX, more: Record<string, string> = {}): Jar => {
  const cookies = new Map<string, string>()
  return {
    cookies,
    headers: () => ({
      'User-Agent': userAgent,
      ...more,
      ...(cookies.size === 0
        ? {}
        : { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
    }),
  }
}

export interface PasskeyPerson {
  readonly userId: string
  readonly email: string
  readonly passkey: SoftPasskey
}

let made = 0

/** Signs users in with passkeys as browsers do, including cookies. */
export const passkeyWorld = (service: TestService) => {
  const post = async (jar: Jar, path: string, body?: unknown) => {
    const answer = await service.api('POST', path, {
      headers: jar.headers(),
      ...(body === undefined ? {} : { body }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.cookies.delete(name)
      else jar.cookies.set(name, value)
    }
    return { ...answer, code: answer.body?.error?.code as string | undefined }
  }

  const invite = async (roles: readonly Role[] = []) => {
    const email = `passkey${String(++made)}@example.com`
    const { userId, enrollUrl } = await userCommands(service.core.services).invite(
      { profile: { name: 'Ada', email }, source: 'local', roles },
      system,
    )
    return { userId, email, path: `/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}` }
  }

  /** Tries to sign in. */
  const tryIn = async (
    { userId, passkey }: Pick<PasskeyPerson, 'userId' | 'passkey'>,
    jar: Jar,
    authRequestId?: string,
  ) => {
    const { ceremonyId, publicKey } = (await post(jar, '/auth/passkey/options', {})).body
    return post(jar, '/auth/passkey/verify', {
      ceremonyId,
      credential: passkey.get(publicKey, userId),
      ...(authRequestId === undefined ? {} : { authRequestId }),
    })
  }

  /** Uses an enrolment link for the first passkey. */
  const enroll = async (jar: Jar, path: string, passkey: SoftPasskey) => {
    const { body } = await post(jar, `${path}/passkey/options`)
    const sent = { ceremonyId: body.ceremonyId, credential: passkey.create(body.publicKey) }
    return post(jar, `${path}/passkey`, sent)
  }

  return {
    post,
    invite,
    tryIn,

    enroll,

    /** A user who has just enrolled in that browser. */
    enrolled: async (jar: Jar, roles: readonly Role[] = []): Promise<PasskeyPerson> => {
      const { userId, email, path } = await invite(roles)
      const passkey = softPasskey(service.publicUrl)
      const answer = await enroll(jar, path, passkey)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
      return { userId, email, passkey }
    },

    /** Signs in; the session cookie is in the jar. */
    signIn: async (person: PasskeyPerson, jar: Jar, authRequestId?: string): Promise<TestPerson> => {
      const answer = await tryIn(person, jar, authRequestId)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
      const { userId, email } = person
      return { userId, email, sessionId: '', cookie: `svc_session=${jar.cookies.get('svc_session') ?? ''}` }
    },
  }
}
