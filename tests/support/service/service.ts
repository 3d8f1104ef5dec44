import { randomBytes, randomInt, type KeyObject } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:net'
import type { RiskLevel } from '../../../domain/risk/events.ts'
import type { Actor } from '../../../adapters/application/services/handle.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { newRsaKey, type NewRsaKey } from '../../../adapters/engines/vault/rsa-key.ts'
import { hashSecret, newSecret } from '../../../adapters/engines/vault/hash.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { noLimits } from '../../../adapters/inbound/http/rate-limit-rules.ts'
import type { Config } from '../../../cli/server/config.ts'
import type { Log } from '../../../cli/server/log.ts'
import { migrate } from '../../../cli/server/migrate.ts'
import type { Storage } from '../../../cli/server/storage.ts'
import { startService, type Service, type ServiceOptions } from '../../../cli/server/service.ts'
import type { StoreLimits } from '../../../cli/server/store-limits.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import { authenticationOf } from '../../../domain/session/authentication.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import { userDecider, userStream } from '../../../domain/user/decider.ts'
import type { Profile } from '../../../domain/user/events.ts'
import type { Role } from '../../../domain/roles.ts'
import { recipientOf } from '../../../read-models/queries/mail.ts'
import { sharedDnsServer } from '../dns/dns-server.ts'
import { databaseCopies } from './postgres.ts'

/**
 * Below the ports that systems give to outgoing connections, so that none of them takes the port of a service that
 * restarts.
 */
const PORTS = { first: 20_000, count: 12_000 } as const

/** Each process counts from a place of its own. */
let ports = randomInt(PORTS.count)

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => {
      resolve(false)
    })
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true)
      })
    })
  })

/** A port that is currently free. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    ports = (ports + 1) % PORTS.count
    const port = PORTS.first + ports
    if (await isFree(port)) return port
  }
}

export const system: Actor = {
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: 'test',
}

/** Collects what the service logs, for tests that check it. */
export interface RecordingLog extends Log {
  readonly lines: string[]
}

export const recordingLog = (): RecordingLog => {
  const lines: string[] = []
  const say = (level: string) => (fields: object, message: string) => {
    const line = `${level} ${message} ${JSON.stringify(fields)}`
    lines.push(line)
    if (process.env['SVC_TEST_LOG'] === '1') process.stderr.write(`${line}\n`)
  }
  return { lines, debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}

/** A user who can be signed in without a browser. */
export interface TestPerson {
  readonly userId: string
  readonly email: string
  /** `Cookie` header of a valid session. */
  readonly cookie: string
  readonly sessionId: string
}

export interface TestService extends Service {
  readonly log: RecordingLog
  readonly databaseUrl: string
  /** Sends JSON to the API; the response's body is parsed if there is one. */
  readonly api: (
    method: string,
    path: string,
    options?: { body?: unknown; as?: TestPerson; headers?: Record<string, string> },
    // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
  ) => Promise<{ status: number; body: any; headers: Headers }>
  /** An active user, signed in. */
  readonly person: (profile?: Partial<Profile>, roles?: readonly Role[]) => Promise<TestPerson>
  /** The same user, with a verified address from now on: sign-in emails can be sent to it. */
  readonly verified: (person: TestPerson) => Promise<TestPerson>
  /** Another session of a user, opened just now by a passkey unless `how` says otherwise. */
  readonly signIn: (userId: string, email: string, how?: SignInWay) => Promise<TestPerson>
}

/** How a session without a browser was opened. */
export interface SignInWay {
  readonly methods?: readonly SignInMethod[]
  /** Ids of the user's own methods used; null for a session for which they are unknown. */
  readonly methodIds?: readonly string[] | null
  /** Seconds since the user last authenticated. */
  readonly age?: number
  readonly deviceId?: string
  readonly risk?: RiskLevel | 'none'
}

let made = 0

/** RSA keys of stopped services, reused because creating one takes as long as many tests. */
const usedKeys: KeyObject[] = []

/** Hands out keys that no other service uses. */
const keyRing = (): { readonly newRsaKey: NewRsaKey; readonly giveBack: () => void } => {
  const held: KeyObject[] = []
  return {
    newRsaKey: async () => {
      const key = usedKeys.pop() ?? (await newRsaKey())
      held.push(key)
      return key
    },
    giveBack: () => {
      usedKeys.push(...held.splice(0))
    },
  }
}

/** A machine that runs many tests may be slow for seconds; no test here checks that. */
const patientLimits: StoreLimits = {
  connect: 10_000,
  statement: 10_000,
  workStatement: 10_000,
  idleTransaction: 10_000,
  logConnect: 10_000,
  append: 10_000,
  inForce: 10_000,
}

/** Database, secret and address of a service, on which several instances can be started. */
export interface TestPlace {
  readonly databaseUrl: string
  readonly config: Config
  /** Where its services get their RSA keys. */
  readonly newRsaKey: NewRsaKey
  drop(): Promise<void>
}

const migratedDatabase = databaseCopies(async (url) => {
  const storage: Storage = {
    dataDir: '',
    databaseUrl: url,
    eventStoreUrl: url,
    eventStorePrefix: '',
    secretKey: '',
    justStarted: false,
    stop: () => Promise.resolve(),
  }
  await migrate(storage, recordingLog())
})

/** With all tables, empty. */
export const testPlace = async (overrides: Partial<Config> = {}): Promise<TestPlace> => {
  const database = await migratedDatabase()
  const port = await freePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  const eventStoreUrl = process.env['SVC_TEST_EVENTSTORE_URL']
  const { newRsaKey, giveBack } = keyRing()
  return {
    databaseUrl: database.url,
    newRsaKey,
    config: {
      publicUrl: `http://localhost:${String(port)}`,
      listen: { host: '127.0.0.1', port },
      dataDir,
      dataDirGiven: true,
      secretKey: randomBytes(32).toString('base64url'),
      newSecretKey: undefined,
      database: { kind: 'postgres', url: database.url },
      // Many tests share one server; each place has its own streams there.
      eventStorePrefix: eventStoreUrl === undefined ? '' : `t${randomBytes(6).toString('hex')}.`,
      eventStore:
        eventStoreUrl === undefined ? { kind: 'database' } : { kind: 'eventstoredb', url: eventStoreUrl },
      dev: false,
      log: { level: 'info', format: 'text' },
      trustedProxies: [],
      metricsListen: undefined,
      maxConnections: 4096,
      mail: undefined,
      egressDeny: [],
      dnsServers: [(await sharedDnsServer()).address],
      rateLimits: noLimits,
      geoipDatabase: undefined,
      asnDatabase: undefined,
      ...overrides,
    },
    drop: async () => {
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
      giveBack()
    },
  }
}

/** The real service on its own database, over real HTTP. Call `stop` when done. */
export const testService = async (
  place?: TestPlace,
  options: Omit<ServiceOptions, 'strict'> = {},
): Promise<TestService> => {
  const at = place ?? (await testPlace())
  const log = recordingLog()
  const service = await startService(at.config, log, {
    newRsaKey: at.newRsaKey,
    limits: patientLimits,
    ...options,
    strict: true,
  })
  const { services } = service.core
  const { handle, clock, random } = services

  const signIn: TestService['signIn'] = async (
    userId,
    email,
    { methods = ['passkey'], methodIds = [], age = 0, deviceId, risk = 'none' }: SignInWay = {},
  ) => {
    const { amr, strength } = authenticationOf(methods, true)
    const token = newSecret('', random)
    const sessionId = newId('session')
    await handle(
      sessionDecider,
      sessionStream(sessionId),
      {
        type: 'start',
        session: {
          sessionId,
          userId,
          tokenHash: hashSecret(token),
          methods,
          methodIds,
          amr,
          authTime: clock.in(-age),
          expiresAt: clock.in(43_200),
          strength,
          ip: '127.0.0.1',
          userAgent: 'test',
          deviceId: deviceId ?? null,
          location: null,
          risk,
        },
      },
      system,
    )
    return { userId, email, sessionId, cookie: `svc_session=${token}` }
  }

  const person: TestService['person'] = async (profile = {}, roles = []) => {
    const n = String(++made)
    const email = profile.email ?? `person${n}@example.com`
    const { userId, enrollUrl } = await userCommands(services).invite(
      { profile: { name: `Person ${n}`, ...profile, email }, source: 'local', roles },
      system,
    )
    const methodId = newId('method')
    await handle(
      userDecider,
      userStream(userId),
      {
        type: 'enroll',
        userId,
        tokenHash: hashSecret(enrollUrl.split('/').at(-1) ?? ''),
        now: clock.now(),
        method: {
          methodId,
          methodType: 'passkey',
          name: 'Test passkey',
          credentialId: newSecret('', random),
          publicKey: 'AA',
          signCount: 0,
          transports: [],
          aaguid: '00000000-0000-0000-0000-000000000000',
          backedUp: false,
        },
      },
      system,
    )
    return signIn(userId, email, { methodIds: [methodId] })
  }

  const verified: TestService['verified'] = async (one) => {
    const { raises = 0 } = (await recipientOf(services.pool, one.userId)) ?? {}
    await userCommands(services).verifyEmail(one.userId, one.email, raises, system)
    return one
  }

  return {
    ...service,
    log,
    databaseUrl: at.databaseUrl,
    signIn,
    person,
    verified,
    api: async (method, path, { body, as, headers = {} } = {}) => {
      const response = await fetch(`${service.publicUrl}/api/v1${path}`, {
        method,
        headers: {
          ...(as === undefined ? {} : { Cookie: as.cookie }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
      return {
        status: response.status,
        headers: response.headers,
        body: json && text !== '' ? JSON.parse(text) : text,
      }
    },
    stop: async () => {
      await service.stop()
      if (place === undefined) await at.drop()
    },
  }
}
