import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { defaultLimits, noLimits, type Limits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { isLocalHost } from '../../domain/local-host.ts'
import { closest } from './closest.ts'
import type { Address, Parsed } from './config-values.ts'
import {
  address,
  dnsServers,
  networks,
  oneOf,
  publicUrl,
  rateLimits,
  secretKey,
  smtpUrl,
  text,
  urlOf,
  wholeNumber,
} from './config-values.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** The server's configuration from the environment, validated and typed. */
export interface Config {
  /** Origin without a trailing slash; also the issuer, which is compared exactly */
  readonly publicUrl: string
  readonly listen: Address
  /** Absolute path of the folder that must survive restarts */
  readonly dataDir: string
  /** Whether the folder was configured; otherwise it is the default */
  readonly dataDirGiven: boolean
  /** At least 32 bytes as text; undefined only if everything is embedded and the key is in the data folder */
  readonly secretKey: string | undefined
  /** The new key; only for `svc rotate-secret-key` */
  readonly newSecretKey: string | undefined
  readonly database: { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly url: string }
  /** `database`: the log is in the same Postgres as the read models */
  readonly eventStore:
    | { readonly kind: 'database' }
    | { readonly kind: 'postgres' | 'eventstoredb'; readonly url: string }
  /** Prefix of our stream names in a store that others use too; '' for a dedicated store */
  readonly eventStorePrefix: string
  readonly dev: boolean
  readonly log: LogConfig
  /** CIDR networks whose X-Forwarded-* headers are trusted */
  readonly trustedProxies: readonly string[]
  readonly metricsListen: Address | undefined
  /** Maximum number of concurrent connections */
  readonly maxConnections: number
  /** Undefined: the service sends no email */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined
  /** CIDR networks that the service never connects to, besides those that are always excluded */
  readonly egressDeny: readonly string[]
  readonly dnsServers: readonly string[]
  /** Rate limits of requests */
  readonly rateLimits: Limits
  /** A MaxMind DB file that maps addresses to places; undefined: the bundled one */
  readonly geoipDatabase: string | undefined
  readonly asnDatabase: string | undefined
}

export interface LogConfig {
  readonly level: (typeof logLevels)[number]
  readonly format: 'json' | 'text'
}

/** Properties of the process's environment other than variables. */
export interface Surroundings {
  /** Folder of the package.json of this program */
  readonly projectDir: string
  readonly homeDir: string
  readonly isTerminal: boolean
}

/** Each idle connection uses about 20 KiB. */
const DEFAULT_MAX_CONNECTIONS = 4096

type Environment = Readonly<Record<string, string | undefined>>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const postgresUrl = urlOf(['postgres', 'postgresql'], '<user>:<password>@<host>[:<port>]/<database>')
const eventStoreUrl = urlOf(
  ['postgres', 'postgresql', 'esdb', 'esdb+discover'],
  '[<user>:<password>@]<host>[:<port>]',
)

const parsers = {
  SVC_PUBLIC_URL: publicUrl,
  SVC_LISTEN: address,
  SVC_DATA_DIR: text(/[^\0]/, 'a folder'),
  SVC_SECRET_KEY: secretKey,
  SVC_NEW_SECRET_KEY: secretKey,
  SVC_DATABASE_URL: postgresUrl,
  SVC_EVENTSTORE_URL: eventStoreUrl,
  SVC_EVENTSTORE_PREFIX: text(/^[A-Za-z0-9_.]{1,40}$/, '1 to 40 letters, digits, _ or .'),
  SVC_DEV: oneOf('0', '1'),
  SVC_LOG_LEVEL: oneOf(...logLevels),
  SVC_LOG_FORMAT: oneOf('json', 'text'),
  SVC_TRUSTED_PROXIES: networks,
  SVC_METRICS_LISTEN: address,
  SVC_MAX_CONNECTIONS: wholeNumber(16, 1_000_000),
  SVC_SMTP_URL: smtpUrl,
  SVC_MAIL_FROM: text(
    /^(?:[^<>@\s]+@[^<>@\s]+|[^<>\r\n]+ <[^<>@\s]+@[^<>@\s]+>)$/,
    'an address: name@example.com or Name <name@example.com>',
  ),
  SVC_EGRESS_DENY: networks,
  SVC_DNS_SERVERS: dnsServers,
  SVC_RATE_LIMITS: rateLimits,
  SVC_GEOIP_DATABASE: text(/[^\0]/, 'a file'),
  SVC_ASN_DATABASE: text(/[^\0]/, 'a file'),
}

type Name = keyof typeof parsers
type Values = { [N in Name]?: ReturnType<(typeof parsers)[N]> extends Parsed<infer T> ? T : never }

/** Every variable that the service reads, for documentation and checks. */
export const configNames = Object.keys(parsers) as readonly Name[]

/**
 * Reads the configuration. An empty variable counts as not set.
 *
 * @throws CliError with exit code 2 that lists every problem: the variable and its expected form.
 */
export const readConfig = (env: Environment, surroundings: Surroundings): Config => {
  const { values, problems } = parseAll(env)
  const listen = values.SVC_LISTEN ?? { host: '127.0.0.1', port: 8080 }
  problems.push(...unknownNames(env), ...missing(env, values, listen))
  if (problems.length > 0) {
    const list = problems.map((problem) => `  ${problem}`).join('\n')
    throw new CliError(exitCodes.usage, `The environment is incomplete or invalid:\n${list}`)
  }
  const { SVC_SMTP_URL: smtp, SVC_DATABASE_URL: databaseUrl } = values
  const ownUrl = values.SVC_PUBLIC_URL ?? new URL(`http://localhost:${listen.port}`).origin
  return {
    publicUrl: ownUrl,
    listen,
    dataDir: resolve(values.SVC_DATA_DIR ?? defaultDataDir(env, surroundings)),
    dataDirGiven: values.SVC_DATA_DIR !== undefined,
    secretKey: values.SVC_SECRET_KEY,
    newSecretKey: values.SVC_NEW_SECRET_KEY,
    database: databaseUrl === undefined ? { kind: 'embedded' } : { kind: 'postgres', url: databaseUrl },
    eventStore: eventStore(values.SVC_EVENTSTORE_URL),
    eventStorePrefix: values.SVC_EVENTSTORE_PREFIX ?? '',
    dev: values.SVC_DEV === '1',
    log: {
      level: values.SVC_LOG_LEVEL ?? 'info',
      format: values.SVC_LOG_FORMAT ?? (surroundings.isTerminal ? 'text' : 'json'),
    },
    trustedProxies: values.SVC_TRUSTED_PROXIES ?? [],
    metricsListen: values.SVC_METRICS_LISTEN,
    maxConnections: values.SVC_MAX_CONNECTIONS ?? DEFAULT_MAX_CONNECTIONS,
    mail:
      smtp === undefined ? undefined : { smtpUrl: smtp, from: values.SVC_MAIL_FROM ?? defaultSender(ownUrl) },
    egressDeny: values.SVC_EGRESS_DENY ?? [],
    dnsServers: values.SVC_DNS_SERVERS ?? [],
    rateLimits: values.SVC_RATE_LIMITS ?? (values.SVC_DEV === '1' ? noLimits : defaultLimits),
    geoipDatabase: values.SVC_GEOIP_DATABASE,
    asnDatabase: values.SVC_ASN_DATABASE,
  }
}

const parseAll = (env: Environment): { values: Values; problems: string[] } => {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of configNames) {
    const value = env[name]?.trim()
    if (value === undefined || value === '') continue
    const parsed: Parsed<unknown> = parsers[name](value)
    if ('value' in parsed) values[name] = parsed.value
    else problems.push(`${name} must be ${parsed.expected}`)
  }
  return { values, problems }
}

const isSet = (env: Environment, name: Name): boolean => (env[name]?.trim() ?? '') !== ''

/** Checks rules that involve several variables. An invalid variable is reported only once. */
const missing = (env: Environment, values: Values, listen: Address): string[] => {
  const problems: string[] = []
  const external = (['SVC_DATABASE_URL', 'SVC_EVENTSTORE_URL'] as const).filter((name) => isSet(env, name))
  if (external.length > 0 && !isSet(env, 'SVC_SECRET_KEY')) {
    problems.push(
      `SVC_SECRET_KEY is required with ${external.join(' and ')}: the key that its secrets are encrypted with or, for a new database, at least 32 random bytes: openssl rand -base64 32`,
    )
  }
  if (listen.port === 0 && !isSet(env, 'SVC_PUBLIC_URL')) {
    problems.push('SVC_PUBLIC_URL is required when SVC_LISTEN has port 0')
  }
  if (listen.port !== 0 && values.SVC_METRICS_LISTEN?.port === listen.port) {
    problems.push('SVC_METRICS_LISTEN must be <host>:<port> with a different port than SVC_LISTEN')
  }
  const { SVC_PUBLIC_URL: ownUrl } = values
  if (values.SVC_DEV === '1' && ownUrl !== undefined && !isLocalHost(new URL(ownUrl).hostname)) {
    problems.push(
      'SVC_DEV=1 requires an SVC_PUBLIC_URL on localhost: in development mode anyone on this machine can sign in as any user',
    )
  }
  return problems
}

/** An IP address cannot be used as an email domain. */
const defaultSender = (ownUrl: string): string => {
  const { hostname } = new URL(ownUrl)
  return `no-reply@${isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'localhost'}`
}

const eventStore = (url: string | undefined): Config['eventStore'] => {
  if (url === undefined) return { kind: 'database' }
  return { kind: url.startsWith('esdb') ? 'eventstoredb' : 'postgres', url }
}

/**
 * A clone of the repository keeps its data inside its folder. An installed program must not write to its installation
 * folder.
 */
const defaultDataDir = (env: Environment, { projectDir, homeDir }: Surroundings): string => {
  if (!/[\\/]node_modules[\\/]/.test(projectDir)) return join(projectDir, '.data')
  const shared = env['XDG_DATA_HOME']?.startsWith('/')
    ? env['XDG_DATA_HOME']
    : join(homeDir, '.local', 'share')
  return join(shared, 'svc')
}

/** Kubernetes sets environment variables with the address of every Service, including one named `svc`. */
const fromKubernetes =
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/

const unknownNames = (env: Environment): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !name.startsWith('SVC_TEST_'))
    .filter((name) => !configNames.some((known) => known === name) && !fromKubernetes.test(name))
    .map((name) => {
      const meant = closest(name, configNames)
      return `${name} is unknown${meant === undefined ? '' : `; did you mean ${meant}?`}`
    })
